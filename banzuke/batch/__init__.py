"""Jobs on a site's batch system: readable scripts, their submission, and their states."""
