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
