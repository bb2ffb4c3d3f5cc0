geofem-layer = layer { $number }
geofem-ranks-layer = Layer of ranks
geofem-ranks-layers = layers of ranks
geofem-nodes = the nodes
geofem-iteration-rates = rates of iterations on cubes of their own
