transfer-case = Case
transfer-chunk = Chunk
transfer-figure = Median
transfer-chunks = Chunks of pipelines
transfer-chunks-caption = Chunks that a pipeline was tried with, each with its largest transfer; the fastest, which stands first, was taken for all sizes.
