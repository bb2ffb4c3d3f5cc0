# The chapter of a fleet: nodes measured alike, which are slow, and why.
fleet-title = Health of the nodes
fleet-over-nodes = Figures over the nodes
fleet-between-nodes = Links between the nodes
fleet-types = Types and settings
fleet-how = How nodes are judged
fleet-node = Node
fleet-nodes = Nodes
fleet-figure = Figure
fleet-type = Type
fleet-place = Rack or switch
fleet-no-place = elsewhere
fleet-link = Link
fleet-setting = Setting
fleet-value = Value
fleet-usual = Usual
fleet-below = Slower by
fleet-sigmas = Deviation, σ
fleet-median = Median
fleet-spread = Spread
fleet-slowest = Slowest
fleet-fastest = Fastest
fleet-passed = Pass
fleet-failed = Fail
fleet-unknown = Unknown
fleet-seen = What was seen
fleet-causes = Likely causes
fleet-action = What to do
fleet-type-unknown = unknown
fleet-cores =
    { $cores ->
        [one] 1 core
       *[other] { $cores } cores
    }
fleet-nodes-of-types =
    { $types ->
        [one] { $nodes ->
            [one] 1 node.
           *[other] { $nodes } nodes of one type.
        }
       *[other] { $nodes } nodes of { $types } types, each compared with its own type.
    }
fleet-counted = { $passed } passed, { $failed } failed, { $unknown } could not be judged.
fleet-counted-links =
    { $slow ->
        [0] None of the { $links } links measured is slow.
        [one] 1 of the { $links } links measured is slow.
       *[other] { $slow } of the { $links } links measured are slow.
    }
fleet-damaged =
    { $lines ->
        [one] 1 damaged line of the run's files was skipped.
       *[other] { $lines } damaged lines of the run's files were skipped.
    }
fleet-state = { $state ->
        [hung] hung: it began and did not end in time
        [dead] dead: nothing could be started there
        [failed] failed: a program or a check failed
       *[other] not measured
    }
fleet-state-why = { $state } ({ $why })
fleet-slower = { $figure }: { $share } slower than { $against ->
        [baseline] its baseline
       *[other] usual
    } ({ $sigmas } σ)
fleet-of-limit = { $figure } { $value }, { $share } of the theoretical peak ({ $limit })
fleet-more =
    { $number ->
        [one] and 1 more figure
       *[other] and { $number } more figures
    }
fleet-nodes-there =
    { $nodes ->
        [one] 1 node
       *[other] { $nodes } nodes
    }
fleet-failed-nodes = Nodes that failed
fleet-slow-links = Slow links between nodes that are not slow with others
fleet-slow-places = Racks or switches whose nodes are slow as a whole
fleet-slow-crossings = Switches or racks from which messages to all others are slow: check their uplinks
fleet-slow-cables = Slow cables between switches: messages from the first to the second are slow beside their share
fleet-cable = cable
fleet-cable-of = { $ends }, cable { $number } of { $among }
fleet-cable-or-switch = { $ends }, the cable or a switch
fleet-pairs-there = { $pairs } pairs
fleet-routes = Cables are judged with the routes that follow from the topology. { $rule }
fleet-routes-adaptive = No single cable is judged: with adaptive routing no pair has one route.
fleet-routes-adapters = No single cable is judged: hosts have several, and which one a pair took is not known.
fleet-routes-uplinks = No single cable is judged: the topology does not give the number of uplinks.
fleet-no-routes = No single cable is judged: { $why }
fleet-shifts = Types whose nodes as a whole are slower than their baseline
fleet-first = The first { $shown } of { $of }.
fleet-figures-caption = Each figure over the nodes of a type. Spread: robust standard deviation, relative to the median.
fleet-figures-of-one = Figures
fleet-types-caption = Nodes of a type have equal hardware, as they report it
fleet-settings-caption = Settings in which nodes of a type differ
fleet-most-have = Most have
fleet-others-have = Others have
fleet-value-nodes =
    { $nodes ->
        [one] { $value } (1 node)
       *[other] { $value } ({ $nodes } nodes)
    }
fleet-more-values =
    { $number ->
        [one] and 1 more value
       *[other] and { $number } more values
    }
fleet-of-median = of the median
fleet-median-and-lowest = median { $median }, lowest { $lowest }
fleet-map = Each figure of each node
fleet-map-shows = { $figures } figures of { $nodes } nodes; the lowest square is { $share } of the median: { $figure } of { $node }.
fleet-map-caption = Share of the median of the nodes of the same type; less is worse. Differences within three standard deviations, which may be chance, are drawn as the median.
fleet-map-groups = Nodes in order of rack and name; a square is the median of those in its column.
fleet-map-framed = Framed: nodes that failed.
fleet-distribution = Distribution of the nodes about the median
fleet-distribution-shows = Histograms of { $figures } figures, from { $low } to { $high } of the median; { $named ->
        [0] no node is
        [one] 1 node is
       *[other] { $named } nodes are
    } marked.
fleet-distribution-caption = Number of nodes by share of the median of their type, each row relative to its fullest bin. Diamonds: nodes that are slow in this figure. Nodes farther than { $farthest } from the median are drawn at the edge.
fleet-percent-of-median = % of the median
fleet-links = Links: { $figure }
fleet-links-shows = { $links } links; the slowest reached { $share } of the median.
fleet-links-caption = Share of the median of all links measured, { $middle }. Empty: not measured.
fleet-links-blocks = A square is the slowest link between { $nodes } nodes each.
fleet-method = A node is compared with the nodes of its own type, or with their baseline, over all its figures together. How far off a figure must be follows from the spread and the tail of the other nodes' figures, so that in a healthy fleet of any size a node is unlikely to be named. Figures that did not verify do not count.
