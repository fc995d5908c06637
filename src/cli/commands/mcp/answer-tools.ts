/** The tools of the server: which command each of them runs, and which of its options it has. */

/** A tool that runs a command of `dprof`. */
export interface AnswerTool {
  /** Name of the command; null for the report on kernels, which has none. */
  readonly command: string | null;
  /** Options that each call has. */
  readonly fixed?: readonly string[];
  /** Names of the command's options that a call may have. None of them names a file. */
  readonly options: readonly string[];
  /** Options that each call must have. */
  readonly required?: readonly string[];
  /** Number of profiles: at least and at most. */
  readonly profiles: readonly [least: number, most: number];
  /** An operand that the command takes before the profiles. */
  readonly text?: {
    readonly name: string;
    readonly help: string;
    readonly form: { readonly pattern: RegExp; readonly example: string };
  };
  /** A description of the tool, which follows that of its command. */
  readonly about?: string;
}

/** Maximum number of profiles of a call; a folder counts as one. */
const MOST_PROFILES = 256;

const ANY = [1, MOST_PROFILES] as const;

const TIME = ['step', 'range', 'from', 'to'] as const;
const PART = ['rank', 'device', 'stream', ...TIME] as const;
const TABLE = ['cols', 'sort', 'top'] as const;

/** The tools by name. */
export const ANSWER_TOOLS: Readonly<Record<string, AnswerTool>> = {
  check: { command: 'check', options: [], profiles: ANY },
  summary: { command: 'summary', options: ['top', 'peaks', ...PART], profiles: ANY },
  advise: { command: 'advise', options: ['rule', 'min-share', 'all', 'top', 'peaks', ...PART], profiles: ANY },
  kernels: {
    command: null,
    options: ['by', ...TABLE, 'where', 'tree', 'depth', 'peaks', ...PART],
    profiles: ANY,
    about:
      'With by: one row per value of its keys, such as op, layer, kernel or category. Without: one row per kernel.',
  },
  explain: {
    command: null,
    options: ['explain', 'peaks'],
    required: ['explain'],
    profiles: ANY,
    about: 'How each number of one kernel was computed.',
  },
  steps: { command: 'steps', options: ['by', ...TABLE, ...PART], profiles: ANY },
  critical_path: { command: 'critical-path', options: ['what-if', 'rank', ...TIME], profiles: ANY },
  ranks: { command: 'ranks', options: ['table', 'rank', 'step'], profiles: ANY },
  memory: { command: 'memory', options: ['points', 'device', 'rank'], profiles: ANY },
  overlap: { command: 'overlap', options: ['by', 'measured', ...PART], profiles: ANY },
  sequences: { command: 'sequences', options: ['kernels', 'by', 'where', 'sort', 'top', ...PART], profiles: ANY },
  queues: { command: 'queues', options: PART, profiles: ANY },
  diff: {
    command: 'diff',
    options: ['by', 'where', 'min-effect', 'sort', 'top', 'rank', 'device', ...TIME],
    profiles: [2, 2],
    about: 'profiles: first the profile before the change, then the one after it.',
  },
};

/** Tools that need DuckDB. */
export const QUERY_TOOLS: Readonly<Record<string, AnswerTool>> = {
  sql: {
    command: 'sql',
    options: [],
    profiles: ANY,
    text: {
      name: 'query',
      help: 'one statement that reads; sql_tables lists tables and columns',
      // The command compares a single word with names of files.
      form: { pattern: /\S\s+\S/, example: 'a statement of several words' },
    },
  },
  sql_tables: {
    command: 'sql',
    fixed: ['--schema'],
    options: [],
    profiles: [0, 0],
    about: 'Tables and columns for the tool sql.',
  },
};
