/** `--fail-if`: rows that a run must not have. */
import { parseAlternatives, parseFilter, type ComparisonFilter, type RowFilter } from '../../../prof/query/filter.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { counted } from '../../../record/plural.js';
import type { Column } from '../../../table/column.js';

/** Columns that say what a row is about: a comparison with one chooses rows, any other one judges them. */
const NAMING = new Set('report,scope,pid,tag,device,core,name,uuid,modelid,metric,unit'.split(','));

/** One of the conditions that `||` joins: it is judged by the rows that it chooses and whose values are known. */
interface Part<Row> {
  readonly text: string;
  readonly chooses: RowFilter<Row>;
  readonly judges: RowFilter<Row>;
  hasRows: boolean;
  isJudged: boolean;
}

export class Threshold<Row> {
  readonly #meets: RowFilter<Row>;
  readonly #parts: readonly Part<Row>[];
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
    const parsed = (comparison: ComparisonFilter<Row>) => parseAlternatives(text, columnOf, '--fail-if', comparison);
    const known = (column: Column<Row>, holds: RowFilter<Row>): RowFilter<Row> => {
      // `==na` holds of what is unknown.
      return (row) => column.value(row) !== null || holds(row);
    };
    this.#meets = parseFilter(text, columnOf, '--fail-if');
    const judging = parsed((column, holds) => (NAMING.has(column.key) ? holds : known(column, holds)));
    const choosing = parsed((column, holds) => (NAMING.has(column.key) ? holds : () => true));
    this.#parts = choosing.map(({ text: part, matches }, i) => {
      const judges = judging[i]?.matches ?? matches;
      return { text: part, chooses: matches, judges, hasRows: false, isJudged: false };
    });
  }

  take(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.#meets(row) && this.#met++ === 0) this.#first = this.nameOf(row);
      for (const part of this.#parts) {
        part.hasRows ||= part.chooses(row);
        part.isJudged ||= part.judges(row);
      }
    }
  }

  /** @throws UserError when a row met the condition, or none could be judged by a part of it */
  end(): void {
    if (this.#met > 0) {
      const others = this.#met === 1 ? '' : ` and ${counted(this.#met - 1, 'more row')}`;
      throw new UserError(`--fail-if '${this.text}' is met by ${this.#first}${others}`);
    }
    const open = this.#parts.filter(({ isJudged }) => !isJudged);
    if (open.length === 0) return;
    const texts = open.map(
      ({ text, hasRows }) => `${text} (${hasRows ? 'the value is unknown in all rows' : 'no row matches'})`,
    );
    throw new UserError(`--fail-if cannot be judged: ${texts.join('; ')}`, { exitCode: EXIT.notJudged });
  }
}
