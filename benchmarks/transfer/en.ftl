transfer-case = Case
transfer-chunk = Chunk size
transfer-figure = Median
transfer-chunks = Chunk sizes of pipelined transfers
transfer-chunks-caption = Chunk sizes that were tried with the largest transfer. The fastest, listed first, was used for all sizes.
