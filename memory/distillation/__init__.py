"""The refinery: from what was said and done to what is worth keeping. Extract, update, consolidate."""
