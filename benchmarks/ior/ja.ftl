# 仕様で英語で宣言した語。
ior-title = IOR
ior-metric-write_bandwidth = 書き込み
ior-metric-read_bandwidth = 読み出し
ior-metric-cached_write_bandwidth = キャッシュへの書き込み
ior-metric-cached_read_bandwidth = キャッシュからの読み出し
ior-plot-write_bandwidth-ranks = クライアント数に対するバンド幅（クライアントあたりの量が一定）
ior-plot-read_bandwidth-ranks = クライアント数に対するバンド幅（総量が一定）
ior-check-transfers-read-back-otherwise-than-written = 書き込んだ内容と異なる転送の数
ior-course-write = 書き込み
ior-course-read = 読み出し
ior-seen-write_to = 書き込み先
ior-seen-write_to-storage = ストレージ
ior-seen-write_to-cache = キャッシュ
ior-seen-read_from = 読み出し元
ior-seen-read_from-storage = ストレージ
ior-seen-read_from-cache = キャッシュ
ior-seen-write_evidence = 書き込み先の根拠
ior-seen-write_evidence-direct = O_DIRECT
ior-seen-write_evidence-beyond-memory = メモリの2倍を超える量
ior-seen-write_evidence-in-memory = メモリ上のファイルシステム
ior-seen-write_evidence-replaced-calls = 置き換えられた関数
ior-seen-write_evidence-pages-present = メモリに残ったページ
ior-seen-write_evidence-fsync = fsync
ior-seen-write_evidence-fsync-dropped = 何も行わないfsync
ior-seen-write_evidence-no-fsync = fsyncなし
ior-seen-read_evidence = 読み出し元の根拠
ior-seen-read_evidence-direct = O_DIRECT
ior-seen-read_evidence-beyond-memory = メモリの2倍を超える量
ior-seen-read_evidence-in-memory = メモリ上のファイルシステム
ior-seen-read_evidence-replaced-calls = 置き換えられた関数
ior-seen-read_evidence-pages-present = メモリに残ったページ
ior-seen-read_evidence-pages-absent = メモリにないページ
ior-seen-read_evidence-no-evidence = 根拠なし
ior-seen-cached_below = ファイルシステムの下にあるキャッシュ
ior-seen-ranks = ランクごとの値
ior-seen-parts = 時間の内訳
ior-seen-stopped_early = 途中で打ち切った指標
ior-seen-stonewall = 打切り時間までの値
ior-seen-mounts = マウント数
ior-seen-rank_shift = 読み出すランクのずれ
ior-seen-read_by_other_mounts = 別のマウントからの読み出し
ior-seen-read_cached_share = メモリに残っていたページの割合
ior-seen-space_for = 空き容量に収まる量
ior-seen-replaced_calls = 置き換えられた関数
resource-storage-write = ストレージ領域の書き込みバンド幅
resource-storage-read = ストレージ領域の読み出しバンド幅

# 表と所見の語。
ior-area = ストレージ領域
ior-hosts = ホスト数
ior-clients = クライアント数
ior-client-size = クライアントあたり
ior-per-process-write = FPP書き込み
ior-per-process-read = FPP読み出し
ior-shared-write = SSF書き込み
ior-shared-read = SSF読み出し
ior-ratio-write = SSF / FPP 書き込み
ior-ratio-read = SSF / FPP 読み出し
ior-cached = { $rate }（キャッシュ）
ior-areas-caption = ストレージ領域ごとのバンド幅。プロセスごとに1ファイルの場合（FPP：File Per Process）、全プロセスで1ファイルを共有する場合（SSF：Single Shared File）、両者の比。クライアントは1プロセス
ior-from-cache = { $phases ->
        [both] 書き込みと読み出しのいずれもホストのキャッシュが応答しており、ストレージのバンド幅ではない
        [write] 書き込みにはホストのキャッシュが応答しており、書き込みバンド幅はストレージのものではない
       *[read] 読み出しにはホストのキャッシュが応答しており、読み出しバンド幅はストレージのものではない
    }
ior-replaced = { $phases ->
        [both] 書き込みバンド幅と読み出しバンド幅のいずれもストレージのものとは認められない
        [write] 書き込みバンド幅はストレージのものとは認められない
       *[read] 読み出しバンド幅はストレージのものとは認められない
    }。根拠となる関数が別のライブラリに置き換えられている：{ $calls }。LD_PRELOADとLD_AUDITを解除する
ior-knee = { $area }の{ $timed ->
        [write] 書き込み
       *[read] 読み出し
    }：{ $clients }クライアントで{ $rate }に達し、最大{ $most }クライアントまでの最良値の{ $share }である。
ior-write-evidence = { $area }の書き込み：{ $code ->
        [direct] ページキャッシュを経由しない（O_DIRECT）。
        [fsync] 計測区間にfsyncを含む（データがストレージに書き込まれるまでを計測）。
        [beyond-memory] ホストのメモリの2倍を超える量を書き込んだ（fsyncなし）。
        [in-memory] メモリ上のファイルシステムであり、ストレージのバンド幅ではない。
        [replaced-calls] fsyncなど、根拠となる関数が別のライブラリ（LD_PRELOAD、LD_AUDIT）に置き換えられている。
        [fsync-dropped] このファイルシステム（volatileでマウントされたoverlay）ではfsyncが何も行わず、キャッシュへの書き込みである。
        [no-fsync] fsyncなし、かつホストのメモリに収まる量であり、キャッシュへの書き込みである。
        [pages-present] ページの破棄を求めてもファイルのページがホストのメモリに残り、ストレージに書き込まれたことを示す根拠がない。
       *[other] { $code }。
    }
ior-read-evidence = { $area }の読み出し：{ $code ->
        [direct] ページキャッシュを経由しない（O_DIRECT）。
        [pages-absent] 読み出したホストのメモリにファイルのページがないことを確認した。
        [beyond-memory] ホストのメモリの2倍を超える量を読み出した。
        [in-memory] メモリ上のファイルシステムであり、ストレージのバンド幅ではない。
        [pages-present] ファイルのページがホストのメモリにあり、キャッシュからの読み出しである。
        [replaced-calls] openなど、根拠となる関数が別のライブラリ（LD_PRELOAD、LD_AUDIT）に置き換えられている。
        [no-evidence] キャッシュからの読み出しでないことを示す根拠がない。
       *[other] { $code }。
    }
ior-below = { $kind ->
    [loop] ダイレクトI/Oを行わない{ $device }（実体は{ $over }）
    [own] 本ホスト（{ $over }）が提供する{ $device }
    [zfs] 独自のキャッシュを持つZFSの{ $device }
   *[process] 本ホストのプロセスが提供しうる{ $device }
}
ior-cached-below = { $hidden ->
        [yes] { $area }：ファイルシステムの下にホストのキャッシュがあり（{ $below }）、読み出しの値からは区別できない。
       *[no] { $area }：ファイルシステムの下にホストのキャッシュがある（{ $below }）。
    }

# 予測の定数。
residual-constant-ior-rated = ストレージの公称性能に対する、プロセスごとのファイルの性能の割合
residual-constant-ior-theoretical = ストレージの最も遅い部分の理論性能に対する、プロセスごとのファイルの性能の割合
residual-constant-ior-shared_write = プロセスごとのファイルに対する、単一共有ファイルの書き込み性能の比
residual-constant-ior-shared_read = プロセスごとのファイルに対する、単一共有ファイルの読み出し性能の比
residual-constant-ior-link = リンクの実効性能のうち、ファイルシステムのプロトコルで利用できる割合
residual-constant-ior-process = 1プロセスの性能

# 実行中の状態。
ior-seen-storage = 書き込むデータ量
ior-seen-space = 必要な空き容量
ior-seen-file_count = ファイル数
ior-seen-file = 1ファイルの大きさ

# 予測モデルによる拒否と注記。
ior-unbounded = ノードからストレージへの転送性能の記述がないため、制約として考慮しない
ior-fits-memory = 1ノードの書き込み量がメモリに収まるため、fsyncなしではキャッシュにより高速になる
ior-no-storage = { $name }の記述に、ノードから利用できるストレージがない
ior-no-bandwidth = { $name }の記述に、ストレージ領域「{ $area }」のバンド幅がない
ior-processes = { $processes }プロセスは{ $nodes }ノードのコア数を超える
ior-cores = 合計{ $cores }コア
ior-pool = { $setting }は全サーバーを超える
ior-unreached = { $setting }はノードから利用できる領域でない
