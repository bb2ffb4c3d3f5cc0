# What its model refuses and remarks.
stream-no-devices = { $name } has no devices
stream-devices = a node of { $name } has { $devices } devices, not { $asked }
stream-arrays = three arrays of { $n } elements in each of { $ranks } ranks are not possible
stream-usable = { $size } of memory can be used
