# What models refuse and remark, as errors have it in English.
unpredicted-why = { $problem } ({ $why })
unpredicted-also = { $before }. { $part }
unpredicted-and = { $before }; { $part }
