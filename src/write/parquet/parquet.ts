/** Tables as Parquet, for DuckDB, pandas and Spark. */
import type { Format } from '../format.js';

export const parquet: Format = {
  id: 'parquet',
  title: 'Parquet, for DuckDB, pandas and Spark: column keys, raw values, null for unknown; with -o FILE',
  binary: true,
  // The library takes longer to load than most reports take to compute.
  load: async () => {
    const { openParquet } = await import('./parquet-table.js');
    return { ...parquet, open: openParquet };
  },
  open() {
    throw new TypeError('parquet is loaded before it is opened');
  },
};
