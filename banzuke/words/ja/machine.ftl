# 計算機の仕様。
report-machine = 計算機の仕様
report-item = 項目
report-value = 値
report-note = 備考
report-unknown = 不明
report-machine-unknown = 不明な項目：{ $items }。

report-machine-site = サイト
report-machine-part = { $name }：{ $what }
report-machine-system = システム
report-machine-partition = パーティション
report-machine-processor = プロセッサ
report-machine-memory = メモリ・キャッシュ
report-machine-peaks = ノードの理論性能
report-machine-attached = アクセラレータ・ネットワーク
report-machine-allotted = ジョブへの割当
report-machine-storage = ストレージ
report-machine-links = リンク
report-machine-software = ソフトウェア
report-machine-kernel-settings = カーネル設定

report-machine-name = 名称
report-machine-title = 表題
report-machine-institution = 設置機関
report-machine-kernel = OSカーネル
report-machine-fingerprint = フィンガープリント
report-machine-fingerprint-note = ハードウェア構成と利用可能コア数のハッシュ値。再起動しても変わらない
report-machine-read-from = 構成情報の取得元

report-machine-nodes = ノード数
report-machine-interconnect = インターコネクト
report-machine-topology = ネットワークトポロジ
report-machine-hosts = ホスト
report-machine-batch = バッチシステム
report-machine-batch-name =
    { $system ->
        [slurm] Slurm
        [gridengine] Grid Engine
        [pbs] PBS
        [pjm] PJM
       *[flux] Flux
    }
report-machine-queue = キュー { $name }
report-machine-longest = 実行時間は最大{ $time }
report-machine-launcher = MPI起動コマンド
report-machine-power-sensor = 電力センサ
report-machine-hypervisor = ハイパーバイザ
report-machine-none-seen = 検出されず
report-machine-file-systems = ファイルシステム

report-machine-model = 型番
report-machine-architecture = アーキテクチャ
report-machine-microarchitecture = マイクロアーキテクチャ
report-machine-sockets = ソケット数
report-machine-cores = コア数
report-machine-kind = コア：{ $kind }
report-machine-kind-logical = { $number }論理プロセッサ
report-machine-kind-nominal = 定格{ $clock }
report-machine-kind-maximum = 最大{ $clock }
report-machine-kind-fma = FMA演算器{ $number }個{ $bits ->
    [0] /コア
   *[other] （{ $bits }ビット）
}
report-machine-kind-fma-measured = 実測で1サイクルあたり{ $rate }
report-machine-kind-cache =
    { $kind ->
        [data] L{ $level }データ
        [instruction] L{ $level }命令
       *[unified] L{ $level }
    } { $number ->
        [1] { $size }
       *[other] { $size } × { $number }
    }
report-machine-kind-peak = 倍精度{ $peak }
report-machine-kind-rate = 1コアの実測FMA性能：{ $kind }
report-machine-kind-scalar = 整数演算、1コアのみで{ $clock }
report-machine-kind-alone = ベクトルFMA、1コアのみで{ $clock }
report-machine-kind-all = ベクトルFMA、全コア同時で{ $clock }
report-machine-assistant-cores = アシスタントコア数
report-machine-logical = 論理プロセッサ数
report-machine-whole-node = ノード全体
report-machine-smt = SMT
report-machine-smt-threads =
    { $number ->
        [1] 無効または非対応
       *[other] コアあたり{ $number }ハードウェアスレッド
    }
report-machine-nominal-clock = 定格周波数
report-machine-maximum-clock = 最大周波数
report-machine-simd = SIMD拡張命令
report-machine-fma = コアあたりのベクトルFMA演算器数
report-machine-fma-units =
    { $bits ->
        [0] { $number }
       *[other] { $number }（{ $bits }ビット）
    }
report-machine-fma-measured = 実測 { $rate } FMA/サイクル

report-machine-capacity = 容量
report-machine-capacity-jobs = ジョブが利用可能な容量
report-machine-memory-kind = メモリ種別
report-machine-numa-nodes = NUMAノード数
report-machine-numa-node = NUMAノード { $number }
report-machine-memory-alone =
    { $kind ->
        [unknown] プロセッサなし、「--memory bind:{ $number }」で使用
       *[known] { $kind }、プロセッサなし、「--memory bind:{ $number }」で使用
    }
report-machine-memory-side = NUMAノード { $number } のメモリ側キャッシュ
report-machine-processors = プロセッサ { $names }
report-machine-cache =
    { $kind ->
        [data] L{ $level }データキャッシュ
        [instruction] L{ $level }命令キャッシュ
       *[unified] L{ $level }キャッシュ
    }
report-machine-cache-size =
    { $number ->
        [1] { $size }
       *[other] { $size } × { $number }
    }
report-machine-cache-shared =
    { $processors ->
        [1] 占有
       *[other] { $processors }論理プロセッサで共有
    }

report-peak-fp64 = 理論性能（倍精度）
report-peak-fp32 = 理論性能（単精度）
report-peak-fp16 = 理論性能（半精度）
report-peak-fp64-matrix = 理論性能（FP64行列演算器）
report-peak-tf32-matrix = 理論性能（TF32行列演算器）
report-peak-fp16-matrix = 理論性能（FP16行列演算器）
report-peak-bf16-matrix = 理論性能（BF16行列演算器）
report-peak-memory = 理論メモリバンド幅
report-peak-other = 理論性能（{ $name }）
report-peak-of = { $peak }、{ $whose }
report-peak-of-nodes = 全ノード
report-peak-of-processors = プロセッサ
report-peak-of-device = { $name } 1台あたり
report-peak-of-usable = 利用可能コア
report-machine-balance = B/F値
report-machine-balance-note = 理論値、1演算あたりのバイト数

report-machine-accelerator = アクセラレータ
report-machine-several =
    { $number ->
        [1] { $name }
       *[other] { $name } × { $number }
    }
report-machine-driver = ドライバ { $version }{ $toolkit ->
    [none] {""}
   *[other] （CUDA { $toolkit }まで対応）
}
report-machine-multiprocessors = { $vendor ->
    [AMD] Compute Unit
   *[other] マルチプロセッサ
} { $number }基
report-machine-capability = { $vendor ->
    [AMD] { $version }
   *[other] Compute Capability { $version }
}
report-machine-device-clock = 最高動作周波数 { $clock }
report-machine-device-memory-clock = メモリ最高動作周波数 { $clock }
report-machine-device-ecc = { $on ->
    [yes] ECC有効
   *[no] ECC無効
}
report-machine-devices = 本ジョブに割り当てられたアクセラレータ
report-machine-every-device = 全アクセラレータ
report-machine-device = アクセラレータ{ $number }
report-machine-unusable-devices = 使用不可
report-machine-device-slice = { $device }のMIGインスタンス
report-machine-device-adapter = 最寄りのネットワークアダプタ { $name }
report-machine-device-link = PCI Express Gen{ $generation } x{ $width }で接続中{ $at ->
    [best] {""}
    [slower] （Gen{ $best } x{ $widest }まで可能。アイドル時は低速になる）
   *[narrower] （Gen{ $best } x{ $widest }まで可能）
}
report-machine-device-newer-slot = 新しいスロットではGen{ $generation }まで可能
report-machine-device-limit = 電力上限 { $limit }{ $default ->
    [same] {""}
   *[other] （既定値 { $default }）
}
report-machine-device-clock-set = 動作周波数の設定値 { $clock }
report-machine-device-errors = ドライバ起動後のメモリエラー（ECC）：訂正済み { $corrected }件、訂正不能 { $uncorrected }件
report-machine-device-repair = { $state ->
    [pending] メモリ不良行の代替処理（row remapping）がリセット待ち
   *[failed] メモリ不良行の代替処理（row remapping）に失敗
}
report-machine-device-exclusive = Compute Mode：Exclusive Process（同時に1プロセスのみ）
report-machine-device-passing = パーシステンスモード無効
report-machine-device-end = { $kind ->
    [device] アクセラレータ{ $name }
    [switch] スイッチ
    [processor] プロセッサ
    [unknown] 不明な接続先
   *[other] { $name }（本ジョブでは使用不可）
}
report-machine-device-links = { $ends }へ{ $several ->
        [1] {""}
       *[other] それぞれ
    }{ $vendor ->
        [AMD] XGMIリンク
       *[other] NVLink
    } { $links }本
report-machine-device-way = { $others }へは{ $way ->
    [nvlink] NVLink
    [xgmi] XGMI
    [switch] PCI Expressスイッチ
    [bridge] PCI Expressホストブリッジ
    [node] 同一NUMAノード内のPCI Expressホストブリッジ間
   *[system] NUMAノード間リンク
}経由
report-machine-device-access = { $others }のメモリへ{ $can ->
    [yes] 直接アクセス可
   *[no] 直接アクセス不可
}
report-machine-device-others = 他のすべて
report-machine-network = ネットワーク { $name }
report-machine-at-numa = NUMAノード{ $number }に接続
report-machine-area = { $kind }（{ $source }）
report-machine-area-usable = 利用可能容量 { $size }
report-machine-area-best = 理論バンド幅 { $rate }
report-machine-area-free = 空き容量 { $size }

report-machine-compiler = コンパイラ { $command }
report-machine-mpi = MPI { $launcher }
report-machine-mpi-library = MPIライブラリ { $library }
report-machine-messages = ホスト内で8 Bに{ $latency }、1 MiBで{ $rate }、8 BのAllreduceに{ $allreduce }
report-machine-of-builds = ビルド{ $names }が使用
report-machine-standard-mpi = MPI 5の標準ABIに対応
report-machine-blas = BLASライブラリ { $library }
report-machine-probed = 予備測定でのDGEMM性能 { $rate }

report-machine-allowed = 利用可能なプロセッサ
report-machine-usable = { $cores }コア、{ $processors }論理プロセッサ
report-machine-quota = cgroupのCPU割当上限によりプロセッサ{ $number }個分の時間に制限
report-machine-allowed-memory = 利用可能なメモリ
report-machine-after-cgroups = cgroupの制限後
report-machine-free-memory = 開始時の空きメモリ
report-machine-clock-scalar = 実測周波数（1コア、整数演算）
report-machine-clock-vector = 実測周波数（1コア、ベクトルFMA）
report-machine-clock-all = 実測周波数（全コア、ベクトルFMA）
report-machine-slowest-core = 最も遅いコア
report-machine-peak-core = コアあたりの理論性能
report-machine-over-cores = 利用可能な{ $number }コアの平均
report-machine-fma-rate = 実測FMA性能（レジスタのみ）
report-machine-of-peak = 理論性能の{ $share }

report-machine-placements = ランクの配置
