# One node judged by itself, where nothing was learnt of its type.

screen-below-peak = { $title } reaches { $share } of the theoretical peak; healthy nodes reach more than { $least }
