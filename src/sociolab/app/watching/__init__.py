"""What pages that show runs are made of: plain data, made of the store, without any HTTP."""
