# Places in public lists: `banzuke rank`, predictions and the report's picture.

rank-edition = { $month ->
    [june] June
    [november] November
   *[other] { $month }
} { $year }
rank-led = first until { $edition }
rank-best = at best place { $place }, in { $edition }
rank-newest = place { $place } of { $edition }, the newest edition
rank-last = as fast as place { $place } of { $edition }, the last edition that it would have been in
rank-never = in no edition since { $since }: place { $place } of { $edition } had { $figure }, { $times } times as much
rank-history = This machine on the history of the { $list }
rank-place = place { $place }
rank-last-place = last place
rank-own = this machine: { $figure }
rank-caption = In the { $list }: { $said }.
rank-described = Figures of the { $list } by edition, and { $figure } of this machine across them: { $said }.
rank-places = Its place in { $count ->
    [one] one edition
   *[other] { $count } editions
} of the { $list }
rank-column-edition = Edition
rank-column-place = Place
rank-column-first = First place
rank-column-last = Last place
