/** The rules of the house that a compiler does not check: who imports whom, who touches the process, how long files are. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './support/shared.js';

interface SourceFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
  /** Our own files that it imports, from the repository's root. */
  readonly own: readonly string[];
  /** Those of them that are left when types are gone. */
  readonly atRunTime: readonly string[];
  /** Packages and Node's modules that it imports. */
  readonly foreign: readonly string[];
}

/** Names of the modules that a file imports for types alone. */
function typeOnly(path: string, text: string): string[] {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const imports = statements.filter(ts.isImportDeclaration);
  const isForTypes = ({ importClause }: ts.ImportDeclaration): boolean =>
    importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  const name = ({ moduleSpecifier }: ts.ImportDeclaration): string =>
    ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  const atRunTime = imports.filter((one) => !isForTypes(one)).map(name);
  return imports
    .filter(isForTypes)
    .map(name)
    .filter((one) => !atRunTime.includes(one));
}

function read(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  // Worker threads are named by URL.
  const workers = [...text.matchAll(/new URL\('(\.[^']+\.js)'/g)].map(([, file = '']) => file);
  const isOwn = (name: string): boolean => name.startsWith('.');
  const place = (name: string): string => join(dirname(path), name).replace(/\.js$/, '.ts');
  const own = [...imports.filter(isOwn), ...workers].map(place);
  // A worker runs in a thread of its own: naming it loads nothing here.
  const notLoaded = [...typeOnly(path, text).filter(isOwn), ...workers].map(place);
  const atRunTime = own.filter((other) => !notLoaded.includes(other));
  return { path, text, own, atRunTime, foreign: imports.filter((name) => !isOwn(name)) };
}

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();

const SRC = filesUnder('src').map(read);
const ALL = ['src', 'test', 'docs', 'samples', 'bench'].flatMap(filesUnder).map(read);

/** `src/parse/readers/nsight/nsight.ts` → `parse`; `src/index.ts` → `index`. */
const roomOf = (path: string): string => /^src\/([^/]+)\//.exec(path)?.[1] ?? 'index';

/** Rooms that each room may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  record: [],
  containers: [],
  table: ['record'],
  ops: ['record', 'containers'],
  parse: ['record', 'containers'],
  prof: ['record', 'containers', 'table', 'ops'],
  write: ['record', 'containers', 'table'],
  // The program of a page runs in a browser: see PAGE_MAY_IMPORT.
  page: ['record', 'containers', 'prof'],
  cli: ['record', 'containers', 'table', 'parse', 'prof', 'write'],
  index: ['record', 'table', 'parse', 'ops', 'prof', 'write'],
};

/** Modules of other rooms that the program of a page may import: the form of its data, and what needs nothing of Node. */
const PAGE_MAY_IMPORT = [
  'src/containers/element.ts',
  'src/prof/advise/finding.ts',
  'src/prof/html/page-data.ts',
  'src/prof/summary/summary-data.ts',
  'src/record/units.ts',
];

/** What a rule finds, for one clear message. */
const offences = (files: readonly SourceFile[], find: (file: SourceFile) => readonly string[]): string[] =>
  files.flatMap((file) => find(file).map((what) => `${file.path}: ${what}`));

/** The code without comments and strings, in which names are only names. */
function code(file: SourceFile): string {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, file.text);
  const words: string[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const isText = token === ts.SyntaxKind.StringLiteral || token === ts.SyntaxKind.NoSubstitutionTemplateLiteral;
    words.push(isText ? "''" : scanner.getTokenText());
  }
  return words.join(' ');
}

/** Folders whose files call each other in circles because the grammar they read does: C++ names hold types hold names. */
const MUTUALLY_RECURSIVE = ['src/parse/names/demangle/'];

const isWithin = (circle: string, folder: string): boolean =>
  circle.split(' → ').every((path) => path.startsWith(folder));

/** `csv-stringify/sync` → `csv-stringify`; Node's own as they are. */
const packageOf = (name: string): string =>
  name.startsWith('node:') ? name : name.split('/', name.startsWith('@') ? 2 : 1).join('/');

describe('imports', () => {
  it('resolve to files of ours', () => {
    const known = new Set(ALL.map(({ path }) => path));
    const isCode = (path: string): boolean => !path.endsWith('.json');
    expect(offences(ALL, ({ own }) => own.filter((path) => isCode(path) && !known.has(path)))).to.deep.equal([]);
  });

  it('go from room to room only as the data flows', () => {
    expect(Object.keys(MAY_IMPORT)).to.include.members([...new Set(SRC.map(({ path }) => roomOf(path)))]);
    const strays = offences(SRC, ({ path, own }) => {
      const room = roomOf(path);
      const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
      return own.filter((other) => !allowed.includes(roomOf(other)));
    });
    expect(strays).to.deep.equal([]);
  });

  it('of src/page are those that run in a browser', () => {
    const others = offences(
      SRC.filter(({ path }) => roomOf(path) === 'page'),
      ({ own }) => own.filter((path) => roomOf(path) !== 'page' && !PAGE_MAY_IMPORT.includes(path)),
    );
    expect(others).to.deep.equal([]);
    const loaded = SRC.filter(({ path }) => roomOf(path) === 'page' || PAGE_MAY_IMPORT.includes(path));
    expect(offences(loaded, ({ foreign }) => foreign.filter((name) => name.startsWith('node:')))).to.deep.equal([]);
  });

  it('of the tools and the library come from nowhere', () => {
    const entries = ['src/index.ts', 'src/cli/bin/dparse.ts', 'src/cli/bin/dprof.ts', 'src/page/main.ts'];
    expect(offences(SRC, ({ own }) => own.filter((path) => entries.includes(path)))).to.deep.equal([]);
  });

  it('make no circle', () => {
    const importsOf = new Map(SRC.map(({ path, atRunTime }) => [path, atRunTime]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
      else if (!done.has(path)) {
        for (const next of importsOf.get(path) ?? []) visit(next, [...way, path]);
        done.add(path);
      }
    };
    for (const { path } of SRC) visit(path, []);
    expect(circles.filter((circle) => !MUTUALLY_RECURSIVE.some((folder) => isWithin(circle, folder)))).to.deep.equal(
      [],
    );
  });

  it('of the database library are in one file', () => {
    const users = SRC.filter(({ foreign }) => foreign.includes('better-sqlite3')).map(({ path }) => path);
    expect(users).to.deep.equal(['src/parse/sqlite/sqlite.ts']);
  });

  it('of packages are declared as dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const known = new Set([...Object.keys(manifest.dependencies), ...builtinModules.map((name) => `node:${name}`)]);
    // What the page's program needs is bundled into it.
    const loaded = SRC.filter(({ path }) => roomOf(path) !== 'page');
    expect(offences(loaded, ({ foreign }) => foreign.filter((name) => !known.has(packageOf(name))))).to.deep.equal([]);
    const used = new Set(loaded.flatMap(({ foreign }) => foreign.map(packageOf)));
    expect(Object.keys(manifest.dependencies).filter((name) => !used.has(name))).to.deep.equal([]);
  });
});

/** Files outside src/cli that touch the process, and why they may. */
const TOUCHES_PROCESS: Readonly<Record<string, string>> = {
  'src/parse/source.ts': 'reads standard input for `-`, and removes its temporary folder when the process exits',
};

describe('code', () => {
  it('touches the process in src/cli only', () => {
    const others = SRC.filter(({ path }) => roomOf(path) !== 'cli');
    const touching = others.filter((file) => /(?<!#|\w|\. )process \./.test(code(file)) || file.foreign.includes('node:process')); // prettier-ignore
    expect(touching.map(({ path }) => path)).to.deep.equal(Object.keys(TOUCHES_PROCESS));
  });

  it('writes to the console nowhere', () => {
    expect(offences(SRC, (file) => code(file).match(/\bconsole \./g) ?? [])).to.deep.equal([]);
  });

  it('evaluates nothing', () => {
    const evaluating = /(?<![.#] )\beval \(|\bnew Function\b|(?<![.\w] )\bFunction \(/g;
    expect(offences(SRC, (file) => code(file).match(evaluating) ?? [])).to.deep.equal([]);
    expect(offences(SRC, ({ foreign }) => foreign.filter((name) => name === 'node:vm'))).to.deep.equal([]);
  });

  it('has no file above 400 lines', () => {
    const lines = (text: string): number => text.split('\n').length - 1;
    expect(offences(ALL, ({ text }) => (lines(text) > 400 ? [`${lines(text)} lines`] : []))).to.deep.equal([]);
  });

  it('names no place on the machine where it was written', () => {
    const places = /(['"`])\/(?:home|root|work|tmp|Users|mnt|opt)\/[^'"`]*/g;
    expect(offences([...SRC, ...filesUnder('docs').map(read)], ({ text }) => text.match(places) ?? [])).to.deep.equal(
      [],
    );
  });

  it('leaves nothing for later', () => {
    const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`, 'g');
    expect(offences(ALL, ({ text }) => text.match(marks) ?? [])).to.deep.equal([]);
  });
});
