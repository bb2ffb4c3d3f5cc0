dgemm-register-rate = register FMA rate
dgemm-without-memory = measured without memory access
dgemm-probed = DGEMM probed with { $library }
