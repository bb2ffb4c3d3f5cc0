# The report's own headings and sentences.
