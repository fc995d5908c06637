/** `--fail-if`: rows that a run must not have. */
import { parseFilter, type RowFilter } from '../../../prof/query/filter.js';
import { UserError } from '../../../record/errors.js';
import { counted } from '../../../record/plural.js';
import type { Column } from '../../../table/column.js';

export class Threshold<Row> {
  readonly #meets: RowFilter<Row>;
  #met = 0;
  #first = '';

  /**
   * @param text a condition of the filter language
   * @param nameOf what a row is, for the message
   * @throws UsageError for a condition that cannot be read
   */
  constructor(
    private readonly text: string,
    columnOf: (key: string) => Column<Row>,
    private readonly nameOf: (row: Row) => string,
  ) {
    this.#meets = parseFilter(text, columnOf, '--fail-if');
  }

  take(rows: readonly Row[]): void {
    for (const row of rows) if (this.#meets(row) && this.#met++ === 0) this.#first = this.nameOf(row);
  }

  /** @throws UserError when a row met the condition */
  end(): void {
    if (this.#met === 0) return;
    const others = this.#met === 1 ? '' : ` and ${counted(this.#met - 1, 'more row')}`;
    throw new UserError(`--fail-if '${this.text}' is met by ${this.#first}${others}`);
  }
}
