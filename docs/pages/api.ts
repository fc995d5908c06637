/** docs/api.md: what the library exports, with the first sentence of each doc comment. Types come with the package. */
import { parseSync, type Comment, type Declaration, type StaticExportEntry } from 'oxc-parser';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryOf } from '../../src/containers/map-entry.js';
import { code, NOTICE, page, table } from './markdown.js';

/** An export of the library. */
export interface LibraryExport {
  readonly name: string;
  /** The file that declares it, from the repository's root. */
  readonly path: string;
  /** `function`, `class`, `interface`, `type` or `const`; null where the file does not declare the name. */
  readonly kind: string | null;
  /** First sentence of its doc comment; null without one. */
  readonly summary: string | null;
}

interface Declared {
  readonly kind: string;
  readonly summary: string | null;
}

const KINDS: Readonly<Record<string, string>> = {
  FunctionDeclaration: 'function',
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  VariableDeclaration: 'const',
};

/** The first sentence of the doc comment that ends before a statement, on one line. */
function summaryBefore(text: string, comments: readonly Comment[], start: number): string | null {
  const comment = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '');
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return null;
  const lines = comment.value.slice(1).split('\n');
  const words = lines.map((line) => line.replace(/^\s*\*?\s?/, '').trim());
  const tag = words.findIndex((line) => line.startsWith('@'));
  const prose = (tag === -1 ? words : words.slice(0, tag)).join(' ').trim();
  return /^.*?[.:](?=\s|$)/.exec(prose)?.[0].replace(/:$/, '.') ?? (prose === '' ? null : prose);
}

/** Names that a declaration declares. */
function namesOf(declaration: Declaration): string[] {
  const ids = declaration.type === 'VariableDeclaration' ? declaration.declarations.map(({ id }) => id) : ['id' in declaration ? declaration.id : null]; // prettier-ignore
  return ids.flatMap((id) => (id?.type === 'Identifier' ? [id.name] : []));
}

/** Exported declarations of a file by name. */
function declarationsOf(path: string, text: string): Map<string, Declared> {
  const { program, comments } = parseSync(path, text);
  const found = new Map<string, Declared>();
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) continue;
    const { declaration } = statement;
    const kind = KINDS[declaration.type];
    if (kind === undefined) continue;
    const summary = summaryBefore(text, comments, statement.start);
    for (const name of namesOf(declaration)) {
      // Overloads: the first that is documented.
      found.set(name, { kind, summary: found.get(name)?.summary ?? summary });
    }
  }
  return found;
}

/** What `src/index.ts` exports, in its order. */
export function libraryExports(root: string): LibraryExport[] {
  const index = 'src/index.ts';
  const declarations = new Map<string, Map<string, Declared>>();
  const declarationsIn = (path: string): Map<string, Declared> =>
    entryOf(declarations, path, () => declarationsOf(path, readFileSync(join(root, path), 'utf8')));
  const exportsOf = ({ moduleRequest, importName }: StaticExportEntry): LibraryExport[] => {
    if (moduleRequest === null) return [];
    const path = join(dirname(index), moduleRequest.value).replace(/\.js$/, '.ts');
    const declared = declarationsIn(path);
    const names = importName.name === null ? [...declared.keys()] : [importName.name];
    return names.map((name) => ({ name, path, ...(declared.get(name) ?? { kind: null, summary: null }) }));
  };
  return parseSync(index, readFileSync(join(root, index), 'utf8')).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(exportsOf),
  );
}

/** What a user of the library wants to do, in the order of the page, and where the exports for it are declared. */
const TASKS: readonly (readonly [task: string, paths: RegExp])[] = [
  ['Read profiles and records', /^src\/(library\/open|record\/(?!errors|diagnostics|python|serving))/],
  [
    'Get the answers of the commands',
    /^src\/(library\/|prof\/(summary|ranks|advise|memory|diff|check|critical-path|overlap)\/)/,
  ],
  ['Choose, filter, sort and group kernels', /^src\/(prof\/(annotate|columns|query|by|report)|table\/)/],
  ['Compute the work of ops', /^src\/(ops\/|prof\/work\/|record\/serving)/],
  ['Compare with the peaks of a device', /^src\/prof\/roofline\//],
  ['Write tables', /^src\/write\//],
  ['Handle errors and what was odd', /^src\/record\/(errors|diagnostics|python)/],
];

const isType = ({ kind }: LibraryExport): boolean => kind === 'interface' || kind === 'type';

/** The values of a task with what they are, and the names of its types. */
function taskSection(task: string, exports: readonly LibraryExport[]): string {
  const rows = exports
    .filter((each) => !isType(each))
    .map(({ name, kind, summary }) => [code(name), kind ?? '', summary ?? '']);
  const types = new Set(exports.filter(isType).map(({ name }) => code(name)));
  return [`## ${task}`, table(['export', 'kind', 'what it is'], rows).trimEnd(), `Types: ${[...types].join(', ')}.`]
    .filter((part) => part !== 'Types: .')
    .join('\n\n');
}

/** @throws Error for an export of no task */
function taskOf({ name, path }: LibraryExport): string {
  const found = TASKS.find(([, paths]) => paths.test(path));
  if (found === undefined) throw new Error(`docs/pages/api.ts has no task for ${name} of ${path}`);
  return found[0];
}

/** The page: exports by task. */
export function apiPage(root: string): string {
  const exports = libraryExports(root).map((each) => ({ ...each, task: taskOf(each) }));
  const exportsFor = (wanted: string): LibraryExport[] => exports.filter(({ task }) => task === wanted);
  return page(
    NOTICE,
    '# API',
    'These are the exports of `dprof-cli`, by task; [the guide](guide/library.md) has programs to copy. Parameters, fields,\nunits and errors are in the doc comments that come with the package, where an editor shows them.',
    ...TASKS.map(([task]) => taskSection(task, exportsFor(task))),
  );
}
