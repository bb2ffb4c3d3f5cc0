# The report's own headings and sentences.
report-unofficial = VALID, but not an official result: that takes { $rule }
