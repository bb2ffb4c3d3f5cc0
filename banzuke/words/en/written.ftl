# What records and descriptions say in English, part by part.
reason-also = { $before }; { $part }
blas-also = { $before }. { $part }
