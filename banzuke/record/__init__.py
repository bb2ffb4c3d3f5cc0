"""What a record is: nothing here knows who makes or reads one."""
