# How facts are written.
fact-not-finite = not finite
fact-span = { $first } to { $last }
fact-hours = { $hours } h{ $minutes ->
    [0] {""}
   *[other] {" "}{ $minutes } min
}
fact-minutes = { $minutes } min{ $seconds ->
    [0] {""}
   *[other] {" "}{ $seconds } s
}
fact-date = %-d %B %Y
fact-comma = {", "}
fact-list = { $items } and { $last }
fact-list-more = { $items } and { $more } more
fact-next = {"; "}
fact-full-stop = .
fact-between-sentences = {" "}
fact-derived-times = { $before } x { $term }
fact-derived-and = { $before }, { $term }
fact-derived-also = { $before }; { $part }
fact-derived-unknown = unknown: { $what }
fact-derived-plus = { $before } + { $part }
