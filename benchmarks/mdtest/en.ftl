mdtest-case = Case
mdtest-cached = { $rate } (cache)
mdtest-operations-caption = { $of ->
        [directory] Operations on directories per second, of all ranks together
        [file] Operations on files per second, of all ranks together
       *[tree] Directories of the tree made and removed per second
    }
