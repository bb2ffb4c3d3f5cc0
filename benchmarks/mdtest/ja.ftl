# 仕様で英語で宣言した語。
mdtest-title = mdtest
mdtest-metric-file_create_rate = ファイル作成
mdtest-metric-file_stat_rate = ファイル属性取得
mdtest-metric-file_read_rate = ファイル読み出し
mdtest-metric-file_remove_rate = ファイル削除
mdtest-metric-directory_create_rate = ディレクトリ作成
mdtest-metric-directory_stat_rate = ディレクトリ属性取得
mdtest-metric-directory_rename_rate = ディレクトリ名変更
mdtest-metric-directory_remove_rate = ディレクトリ削除
mdtest-metric-tree_create_rate = ツリー作成
mdtest-metric-tree_remove_rate = ツリー削除
mdtest-metric-cached_file_stat_rate = ファイル属性取得（キャッシュ）
mdtest-metric-cached_file_read_rate = ファイル読み出し（キャッシュ）
mdtest-metric-cached_directory_stat_rate = ディレクトリ属性取得（キャッシュ）
mdtest-check-items-of-another-kind-or-size-than-they-were-made = 作成時と種別または大きさが異なる項目の数
mdtest-check-files-with-other-contents-than-were-written = 書き込んだ内容と異なるファイルの数
mdtest-check-items-left-after-all-were-removed = 削除後に残った項目の数
mdtest-plot-file_create_rate-ranks = クライアント数に対するメタデータ操作性能

# 表の語。
mdtest-case = ケース
mdtest-cached = { $rate }（キャッシュ）
mdtest-operations-caption = { $of ->
        [directory] ディレクトリに対する1秒あたりの操作数（全ランクの合計）
        [file] ファイルに対する1秒あたりの操作数（全ランクの合計）
       *[tree] ツリーのディレクトリの1秒あたりの作成数と削除数
    }

# 実行中の状態。
mdtest-seen-mounts = マウント数
mdtest-seen-rank_shift = 属性取得・読み出しを行うランクのずれ
mdtest-seen-space_for_items = 空き容量に収まるファイル数
mdtest-seen-stopped_early = 途中で打ち切った指標
mdtest-seen-ranks = ランクごとの値
mdtest-seen-tree_directories = ツリーのディレクトリ数
mdtest-seen-items_of_all_ranks = 全ランクのファイル・ディレクトリ数
mdtest-seen-bytes_of_all_files = 全ファイルのデータ量
mdtest-unpredicted = ファイルシステムのサーバーとソフトウェアによって決まり、それらの数値が仕様に書かれていない
