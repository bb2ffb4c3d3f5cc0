# What measured noise costs the applications of a run at scale.

slowdown-heading = What this noise costs applications at scale
slowdown-intro = Slowdown of ranks that wait for each other, predicted from all noise that was measured, without changes of the clock where these are known. The time between waits is that of this run's headline case, so each rank has as large a part of the problem at every scale. Exchanges with neighbours count as waits for all ranks, which makes the slowdown an upper bound; noise rarer than the measurement could see is not in it. Above 100% ranks wait longer than they work.
slowdown-caption = Slowdown by noise
slowdown-environment = Noise measured in
slowdown-application = Application
slowdown-period = Time between waits
slowdown-ranks = { $ranks } ranks
