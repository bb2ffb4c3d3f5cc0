# Places in public lists: `banzuke rank`, predictions and the report's chart.

rank-edition = { $month ->
    [june] June
    [november] November
   *[other] { $month }
} { $year }
rank-led = first until { $edition }
rank-best = best place { $place }, in { $edition }
rank-newest = place { $place } in the newest edition, { $edition }
rank-last = on the list until { $edition }, at place { $place } in that edition
rank-never = too slow for every edition since { $since }: the slowest machine of all, place { $place } of { $edition }, had { $figure }, { $times } times as much
rank-history = This machine in the history of the { $list }
rank-place = place { $place }
rank-last-place = last place
rank-own = this machine: { $figure }
rank-caption = In the { $list }: { $said }.
rank-described = Figures of the { $list } by edition, with this machine's { $figure } as a line across: { $said }.
rank-places = Place in { $count ->
    [one] one edition
   *[other] { $count } editions
} of the { $list }
rank-column-edition = Edition
rank-column-place = Place
rank-column-first = First place
rank-column-last = Last place
