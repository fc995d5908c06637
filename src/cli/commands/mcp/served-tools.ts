/**
 * The tools as clients see them. A call runs a command of `dprof` in a process of its own, so the answer is what the
 * command prints, apart from a way out that calls can take.
 */
import type { CallToolResult, Tool as ToolEntry } from '@modelcontextprotocol/sdk/types.js';
import { join } from 'node:path';
import type { Limit } from '../../../prof/limits.js';
import { EXIT, UsageError } from '../../../record/errors.js';
import { jsonOf } from '../../../record/control-characters.js';
import type { CommandEntry } from '../../command.js';
import type { Tool } from '../../arguments.js';
import { version } from '../../package-folder.js';
import { AnswerProcesses, MOST_OUTPUT, type AnswerEnd } from './answer-process.js';
import { ANSWER_TOOLS, QUERY_TOOLS, type AnswerTool } from './answer-tools.js';
import { profilesIn } from './profile-list.js';
import type { Roots } from './roots.js';
import { numberBetween, text, type Schema } from './input-values.js';
import { ANSWER_CHARACTERS, refuseOthers, ToolInput, type Given } from './tool-input.js';

/** Maximum processes at a time. */
const MOST_PROCESSES = 2;

/** A tool of the server. */
export interface ServedTool {
  readonly entry: ToolEntry;
  readonly call: (given: Given, call: CallContext) => Promise<CallToolResult>;
}

interface CallContext {
  readonly signal: AbortSignal;
}

interface ServerOptions {
  readonly roots: Roots;
  /** Time limit of a call in s. */
  readonly seconds: number;
  /** The commands of dprof by name. */
  readonly commands: Readonly<Record<string, CommandEntry>>;
  /** The report on kernels. */
  readonly report: Tool;
  /** Whether SQL queries can be answered. */
  readonly hasQueries: boolean;
  /** Files that are read along with a file. */
  readonly filesBeside: (file: string) => readonly string[];
}

/** Makes the tools. They read files of the roots only, and change nothing. */
export async function servedTools(options: ServerOptions): Promise<ReadonlyMap<string, ServedTool>> {
  const processes = new AnswerProcesses(MOST_PROCESSES);
  const table = options.hasQueries ? { ...ANSWER_TOOLS, ...QUERY_TOOLS } : ANSWER_TOOLS;
  const tools = new Map([['list', listTool(options.roots)]]);
  for (const [name, answer] of Object.entries(table))
    tools.set(name, await answerTool(name, answer, options, processes));
  return tools;
}

async function answerTool(
  name: string,
  answer: AnswerTool,
  options: ServerOptions,
  processes: AnswerProcesses,
): Promise<ServedTool> {
  const command = answer.command === null ? undefined : options.commands[answer.command];
  const tool = command === undefined ? options.report : (await command.load()).tool;
  const input = new ToolInput(answer, tool);
  const about = [...(answer.about === undefined || command !== undefined ? tool.about : []), answer.about ?? ''];
  return {
    entry: entryOf(name, about.join(' ').trim(), input.schema),
    call: async (given, { signal }) => {
      const places = new PlacesOfCall(options);
      const args = input.argumentsOf(given, (path) => places.operandOf(path));
      const { seconds } = options;
      const end = await processes.run({ args, folder: places.folder, seconds, signal });
      return resultOf(end, seconds);
    },
  };
}

/** The profiles of a call: the process runs in the root of the first one, from which paths are as the client gave them. */
class PlacesOfCall {
  #root: string | null = null;

  constructor(private readonly options: ServerOptions) {}

  get folder(): string {
    return this.#root ?? this.options.roots.paths[0] ?? '.';
  }

  /** @throws UserError for a path that may not be read */
  operandOf(given: string): string {
    const { root, path } = this.options.roots.place(given, this.options.filesBeside);
    this.#root ??= root;
    const named = root === this.#root ? path : join(root, path);
    return named.startsWith('-') ? `./${named}` : named;
  }
}

const entryOf = (name: string, description: string, inputSchema: ToolEntry['inputSchema'] & Schema): ToolEntry => ({
  ...{ name, description, inputSchema },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});

const textOf = (text: string): CallToolResult['content'][number] => ({ type: 'text', text });

/** An error that the model reads: what is wrong, and what to do. */
export const failure = (text: string): CallToolResult => ({ isError: true, content: [textOf(text)] });

/** A process that failed may still have printed an answer: about an input that is cut off, or with the reason in `cannot`. */
function resultOf({ reason, code, stdout, stderr }: AnswerEnd, seconds: number): CallToolResult {
  const said = stderr.trim();
  if (reason === 'late')
    return failure(`no answer within ${seconds} s (select a part with step, from and to, or dprof mcp --timeout)`);
  if (reason === 'long') return failure(`the answer has more than ${MOST_OUTPUT} bytes (choose fewer columns or rows)`);
  if (reason === 'cancelled') return failure('cancelled');
  if (code === EXIT.done) return { content: [textOf(withinLimit(stdout))] };
  return stdout === '' || code === EXIT.usage
    ? failure(said === '' ? 'the process was killed' : said)
    : { content: [textOf(withinLimit(stdout)), textOf(said)] };
}

/** The last line of a document that lacks something, with the length at which it would be whole. */
const WAY_OUT = /"wayOut":"--max-chars (\d+) leaves nothing out"(?=\}\}\n$)/;

/** The document with a way out that a call can take: the input `max_chars` within its limit. It does not get longer. */
const withinLimit = (document: string): string =>
  document.replace(WAY_OUT, (_, length: string) =>
    Number(length) <= ANSWER_CHARACTERS.most
      ? `"wayOut":"max_chars ${length} leaves nothing out"`
      : '"wayOut":"ask for a part: top, step, where …"',
  );

/** Inputs of the tool `list`. */
const LIST_INPUTS = {
  folder: text(),
  max_chars: numberBetween(ANSWER_CHARACTERS.least, ANSWER_CHARACTERS.most, 'integer'),
};

function listTool(roots: Roots): ServedTool {
  const { folder, max_chars: length } = LIST_INPUTS;
  const properties = { folder: { ...folder.schema, description: 'only the profiles in it' }, max_chars: length.schema };
  const about =
    'The profiles that can be read: path, format, size and number of profiles. Formats are detected by content.';
  return {
    entry: entryOf('list', about, { type: 'object', properties, additionalProperties: false }),
    call: async (given) => {
      refuseOthers(given, Object.keys(LIST_INPUTS));
      for (const [name, kind] of Object.entries(LIST_INPUTS)) {
        const fault = given[name] === undefined ? null : kind.fault(given[name]);
        if (fault !== null) throw new UsageError(`${name} ${fault}`);
      }
      const asked = given as { readonly folder?: string; readonly max_chars?: number };
      return { content: [textOf(await listText(roots, asked.folder, asked.max_chars ?? ANSWER_CHARACTERS.usual))] };
    },
  };
}

/** The list as a document of at most `length` characters. The other tools accept its paths. */
async function listText(roots: Roots, folder: string | undefined, length: number): Promise<string> {
  const places =
    folder === undefined ? roots.paths.map((root) => ({ root, path: '.' })) : [roots.place(folder, () => [])];
  const rows: object[] = [];
  const cut: string[] = [];
  for (const { root, path } of places) {
    const { profiles, isCut } = await profilesIn(join(root, path));
    const shownPath = (inRoot: string): string => (roots.paths.length === 1 ? inRoot : join(root, inRoot));
    for (const row of profiles) rows.push({ ...row, path: shownPath(join(path, row.path)) });
    if (isCut) cut.push(shownPath(path));
  }
  const cannot = cut.map((input): Limit => ({
    what: 'further profiles',
    why: 'too many files to examine all of them',
    wayOut: 'name a folder',
    input,
  }));
  const head = { schema: 'dprof/profiles/1', tool: `dprof ${version()}` };
  const textOfFirst = (count: number): string => {
    const answer = rows.slice(0, count);
    return `${jsonOf({ ...head, answer, cannot, leftOut: leftOutOf(rows.length - count) })}\n`;
  };
  let count = rows.length;
  // Each pass keeps the number of rows that would fit if all were of average length.
  for (let size; count > 0 && (size = textOfFirst(count).length) > length;)
    count = Math.min(count - 1, Math.floor((count * length) / size));
  return textOfFirst(count);
}

const leftOutOf = (missing: number): object | null =>
  missing === 0
    ? null
    : { rows: { answer: missing }, keys: [], moreKeys: 0, texts: null, wayOut: 'larger max_chars, or a folder' };
