/** The input of a tool: its JSON Schema, made from the options of the command, and the command's arguments. */
import { nearest, UsageError } from '../../../record/errors.js';
import type { Option, Tool } from '../../arguments.js';
import type { AnswerTool } from './answer-tools.js';
import { listOf, numberBetween, oneOf, shown, SWITCH, text, type InputValue, type Schema } from './input-values.js';

/** Arguments of a tool's call, as the client sent them. */
export type Given = Readonly<Record<string, unknown>>;

/** Characters of an answer: by default, at least, at most. */
const { usual, least, most } = { usual: 4000, least: 500, most: 40_000 };
export const ANSWER_CHARACTERS = { usual, least, most } as const;

/** Maximum number of rows, points or kernels that an option may ask for. */
const MOST_ROWS = 1000;
/** Maximum number of values of an option that may be repeated. */
const MOST_REPEATED = 32;
/** Maximum milliseconds of `from` and `to`: 31 years. */
const MOST_MS = 1e12;

/** Kinds by the name of an option's value; any other value is a string. */
const KINDS: Readonly<Record<string, InputValue>> = {
  N: numberBetween(1, MOST_ROWS, 'integer'),
  MS: numberBetween(-MOST_MS, MOST_MS),
  P: numberBetween(0, 100),
  PCT: numberBetween(0, 1000),
  // Anything else could be an old name of --peaks, which takes files.
  LIST: text({ pattern: /^\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*$/, example: 'numbers such as 0-3,8' }),
};

/** Maximum number of values that a schema lists. Of more, such as columns, the command itself names a wrong one. */
const MOST_LISTED = 16;

function kindOf({ name, takes, values = [], list, repeats }: Option): InputValue {
  if (takes === undefined) return SWITCH;
  // All other values of --peaks are names of files.
  if (name === 'peaks') return oneOf(values, false);
  if (list !== true && values.length > 0 && values.length <= MOST_LISTED) return oneOf(values);
  const kind = KINDS[takes] ?? text();
  return repeats === true ? listOf(kind, 0, MOST_REPEATED) : kind;
}

/** An input of a tool, and how it becomes arguments. */
interface Input {
  readonly name: string;
  readonly kind: InputValue;
  readonly help: string;
  /** Option without dashes; absent for operands. */
  readonly option?: string;
}

const PROFILES = 'paths as in list; a folder for the ranks of a job';
const LENGTH: Input = {
  name: 'max_chars',
  kind: numberBetween(least, most, 'integer'),
  help: `length of the answer (${usual})`,
};

/** The input of an option: `min_share` for `--min-share`. @throws RangeError for an unknown option, which is a defect */
function inputOf(name: string, { name: command, options }: Tool): Input {
  const option = options.find((candidate) => candidate.name === name);
  if (option === undefined) throw new RangeError(`${command} has no --${name}`);
  const help = option.help.replace(/, or a JSON file$/, '');
  return { name: name.replaceAll('-', '_'), kind: kindOf(option), help, option: name };
}

/** @throws UsageError for an input that the tool does not have */
export function refuseOthers(given: Given, names: readonly string[]): void {
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other === undefined) return;
  const near = nearest(other.slice(0, 80), names);
  throw new UsageError(
    `unknown input ${shown(other)}`,
    near === null ? `expected ${names.join(', ')}` : `did you mean ${near}?`,
  );
}

/** All inputs of a tool. */
export class ToolInput {
  readonly #inputs: readonly Input[];
  readonly #required: readonly string[];

  constructor(
    private readonly answer: AnswerTool,
    command: Tool,
  ) {
    const { profiles, text: query, options, required = [] } = answer;
    const operands: Input[] = [
      ...(profiles[1] === 0 ? [] : [{ name: 'profiles', kind: listOf(text(), ...profiles), help: PROFILES }]),
      ...(query === undefined ? [] : [{ name: query.name, kind: text(query.form), help: query.help }]),
    ];
    this.#inputs = [...operands, ...options.map((name) => inputOf(name, command)), LENGTH];
    this.#required = [...operands.map(({ name }) => name), ...required];
  }

  get schema(): Schema & { readonly type: 'object' } {
    const properties = Object.fromEntries(
      this.#inputs.map(({ name, kind, help }) => [name, { ...kind.schema, description: help }]),
    );
    return { type: 'object', properties, required: this.#required, additionalProperties: false };
  }

  /**
   * Checks a call. An option and its value are one argument, and operands follow `--`, so that no value becomes an option.
   * @param operandOf checks the path of a profile and returns the operand
   * @returns the command's arguments
   * @throws UsageError for anything that the schema does not allow, and whatever `operandOf` throws
   */
  argumentsOf(given: Given, operandOf: (path: string) => string): string[] {
    const { command, fixed = [], text: query } = this.answer;
    const names = this.#inputs.map(({ name }) => name);
    refuseOthers(given, names);
    const missing = this.#required.find((name) => given[name] === undefined);
    if (missing !== undefined) throw new UsageError(`${missing} is missing`);
    const filled: Given = { [LENGTH.name]: usual, ...given };
    for (const { name, kind } of this.#inputs) {
      const fault = filled[name] === undefined ? null : kind.fault(filled[name]);
      if (fault !== null) throw new UsageError(`${name} ${fault}`);
    }
    const profiles = (filled['profiles'] ?? []) as readonly string[];
    return [
      ...(command === null ? [] : [command]),
      ...['-f', 'json', `--max-chars=${filled[LENGTH.name] as number}`],
      ...['--quiet', ...fixed],
      ...this.#inputs.flatMap(({ name, option }) => wordsOf(option, filled[name])),
      '--',
      ...(query === undefined ? [] : [filled[query.name] as string]),
      ...profiles.map(operandOf),
    ];
  }
}

/** @param value a value that was checked */
function wordsOf(option: string | undefined, value: unknown): string[] {
  if (option === undefined || value === undefined || value === false) return [];
  if (value === true) return [`--${option}`];
  return [value as string | number | string[]].flat().map((item) => `--${option}=${item}`);
}
