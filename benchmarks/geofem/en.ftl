geofem-layer = layer { $number }
geofem-ranks-layer = Layer of ranks
geofem-ranks-layers = layers of ranks
geofem-nodes = the nodes
geofem-iteration-rates = rates of iterations on cubes of their own

# What its model refuses and remarks.
geofem-devices = GeoFEM on devices is not predicted
geofem-no-model = there is no model of devices
geofem-no-mesh = no mesh fits in the memory of { $name }
geofem-core = each core has { $held }, and a node of the mesh takes { $taken }
geofem-mesh = { $points } nodes of the mesh are more than the memory of a node of { $name } holds
