dgemm-register-rate = register FMA rate
dgemm-without-memory = measured without memory access
dgemm-probed = DGEMM probed with { $library }
dgemm-shared = One product shared by groups
dgemm-group = group { $number }
dgemm-processors = processors { $cpus }
dgemm-device = device { $device } (processor { $cpu })
dgemm-other-groups = { $number } other groups
dgemm-alone = { $group } alone
dgemm-sum = sum of the parts
dgemm-product = All at once
dgemm-links-allow = Host links allow
dgemm-together = all at once, { $split }
dgemm-of-sum = Of the sum
dgemm-of-peak = Of peak
dgemm-share = Share of { $group }
dgemm-shared-caption = The product of all groups at once beside what each can do alone, measured within the same seconds, device transfers included; the share of the sum of the parts that was reached, and the share of C that each group computed. Medians.
dgemm-why = { $split ->
    [equal] each processor has an equal share, whatever its group's rate
    [rates] shares follow the rates of each group alone
    [adaptive] shares follow the rates of each group alone and are corrected during the run
   *[other] shares were given ({ $split })
  }: { $groups } reach { $rates } alone and computed { $shares } of C; together they reach { $reached } of the sum, { $sum }{ $link ->
    [binds] . With k = { $k } the host link limits a device to { $bound }{ $least ->
        [0] , as any k does with so few rows
       *[other] , from k = { $least } on it does not
      }
    [free] . With k = { $k } the host link does not limit the device
   *[none] { "" }
  }
dgemm-host-link = Transfers between host and device
    .evidence = With k = { $k }, the device's link of { $link } each way bounds its part at { $bound }, and it could compute { $device }
    .confirm = { $least ->
        [0] With more rows, transfers cost less of the time: try a larger m, and a larger k
       *[other] From k = { $least } on, transfers take no longer than computing
      }
dgemm-rates-over = { $label ->
    [none] One shared product over { $along }
   *[other] One shared product over { $along }: { $label }
  }
dgemm-rates-drawn = All groups at once reach { $low } to { $high } of the sum of the parts.
dgemm-rates-caption = Thick: all groups at once, by each way to split. Dashed: the sum of what the groups, in colours, can do alone. Medians.
dgemm-shares = Who computed how much
dgemm-shares-drawn = The best case reaches { $rate }, { $share } of the sum of the parts.
dgemm-axis-share = % of C
dgemm-shares-caption = Marks: where the groups would meet if each had computed as much as its rate alone allows. { $more ->
    [0] { "" }
   *[other] { $more } further cases are in the table.
  }
dgemm-trace = { $label ->
    [none] Who computed when
   *[other] Who computed when: { $label }
  }
dgemm-trace-drawn = The rate of all groups falls to { $least } of its highest.
dgemm-trace-caption = Rates of the groups on top of each other, over the timed calls, which thin lines separate. A group that slows down has a narrower band; where a band is gone, the group waits for others.
dgemm-axis-seconds = seconds of the calls
dgemm-sum-line = sum of the parts { $rate }
dgemm-more-traces = More cases over time
