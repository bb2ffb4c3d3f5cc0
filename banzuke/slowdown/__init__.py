"""What noise costs applications whose ranks wait for each other, the more the more ranks they have."""
