/**
 * Options of an `LRUCache` of at most so many entries that takes memory for those that it has. `max` takes it for all
 * of them at once: for 50,000 a megabyte and six milliseconds of every start.
 */
export const atMostEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
