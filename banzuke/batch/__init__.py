"""Jobs on a site's batch system: readable scripts, their submission, and what became of them."""
