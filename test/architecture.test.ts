/**
 * The rules of the house that a compiler does not check: who imports whom, who touches the process.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { parseSync, Visitor, type ParseResult } from 'oxc-parser';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './support/shared.js';

interface SourceFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
  /** The text without comments, strings and regular expressions. */
  readonly code: string;
  /** Our own files that it imports, values or types, from the repository's root. */
  readonly imported: readonly string[];
  /** Those that are loaded with it: without types, and without those that are loaded late. */
  readonly loaded: readonly string[];
  /** All of them, and the programs of worker threads, which it names only. */
  readonly own: readonly string[];
  /** Packages and Node's modules that it imports. */
  readonly foreign: readonly string[];
}

function read(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { program, module, comments } = parseSync(path, text);
  const imports = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)].flatMap(
    ({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value]),
  );
  // Comments and strings, in which names are only words.
  const prose = comments.map(({ start, end }) => ({ start, end }));
  new Visitor({
    Literal: ({ start, end }) => prose.push({ start, end }),
    TemplateElement: ({ start, end }) => prose.push({ start, end }),
    ImportExpression: ({ source }) => source.type === 'Literal' && imports.push(String(source.value)),
    TSImportType: ({ source }) => imports.push(source.value),
  }).visit(program);
  // Worker threads are named by URL.
  const workers = [...text.matchAll(/new URL\('(\.[^']+\.js)'/g)].map(([, file = '']) => file);
  const isOwn = (name: string): boolean => name.startsWith('.');
  const pathOf = (name: string): string => join(dirname(path), name).replace(/\.js$/, '.ts');
  return {
    ...{ path, text, code: without(text, prose) },
    imported: imports.filter(isOwn).map(pathOf),
    loaded: loadedWith(module).filter(isOwn).map(pathOf),
    own: [...imports.filter(isOwn), ...workers].map(pathOf),
    foreign: imports.filter((name) => !isOwn(name)),
  };
}

/** What a module imports that is more than types. */
const loadedWith = ({ staticImports, staticExports }: ParseResult['module']): string[] => [
  ...staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value),
  ...staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) => (isType || moduleRequest === null ? [] : [moduleRequest.value])),
  ),
];

function without(text: string, spans: { start: number; end: number }[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start));
    from = end;
  }
  return [...parts, text.slice(from)].join(' ');
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
  table: ['record', 'containers'],
  ops: ['record', 'containers'],
  parse: ['record', 'containers'],
  redact: ['record', 'containers', 'ops', 'parse'],
  prof: ['record', 'containers', 'table', 'ops'],
  write: ['record', 'containers', 'table'],
  // The program of a page runs in a browser: see PAGE_MAY_IMPORT.
  page: ['record', 'containers', 'table', 'ops', 'prof'],
  sources: ['record', 'containers', 'parse', 'prof'],
  library: ['record', 'containers', 'table', 'parse', 'prof', 'sources'],
  cli: ['record', 'containers', 'table', 'parse', 'redact', 'prof', 'write', 'sources'],
  index: ['record', 'table', 'ops', 'prof', 'write', 'library'],
};

/** Modules of other rooms that the program of a page may import: the form of its data, and what needs nothing of Node. */
const PAGE_MAY_IMPORT = [
  'src/containers/element.ts',
  'src/containers/log-histogram.ts',
  'src/containers/map-entry.ts',
  'src/ops/collective-bytes.ts',
  'src/prof/advise/grouped-findings.ts',
  'src/prof/advise/idle/cause-names.ts',
  'src/prof/advise/idle/known-idle.ts',
  'src/prof/advise/verdict/verdict.ts',
  'src/prof/advise/verdict/verdict-facts.ts',
  'src/prof/html/bounds.ts',
  'src/prof/by/host/range-name.ts',
  'src/prof/html/annotations/annotation-times.ts',
  'src/prof/html/kernels/kernel-data.ts',
  'src/prof/html/kernels/kernel-totals.ts',
  'src/prof/html/kernels/line-totals.ts',
  'src/prof/html/kernels/stack-totals.ts',
  'src/prof/html/layers/layer-totals.ts',
  'src/prof/html/page-kernel.ts',
  'src/prof/html/communication/collective-rows.ts',
  'src/prof/html/idle/cause-sums.ts',
  'src/prof/html/idle/idle-data.ts',
  'src/prof/html/job/job-data.ts',
  'src/prof/html/neuron/neuron-data.ts',
  'src/prof/neuron/flops.ts',
  'src/prof/html/page-data.ts',
  'src/prof/html/utilisation/utilisation-curve.ts',
  'src/prof/html/utilisation/utilisation-data.ts',
  'src/prof/roofline/peaks.ts',
  'src/prof/roofline/roofline.ts',
  'src/prof/work/capture-options.ts',
  'src/prof/html/page-elements.ts',
  'src/prof/html/timeline/longest-texts.ts',
  'src/prof/html/timeline/timeline-data.ts',
  'src/prof/query/filter.ts',
  'src/prof/queues/stream-queue.ts',
  'src/prof/steps/transfers.ts',
  'src/prof/summary/device-sums.ts',
  'src/prof/summary/summary-data.ts',
  'src/prof/summary/tallies.ts',
  'src/prof/tally/kernel-tally.ts',
  'src/record/control-characters.ts',
  'src/record/errors.ts',
  'src/record/fields/times.ts',
  'src/record/element-types.ts',
  'src/record/glossary.ts',
  'src/record/plural.ts',
  'src/record/record.ts',
  'src/record/sample-metrics.ts',
  'src/record/statistics.ts',
  'src/record/units.ts',
  'src/prof/query/wildcards.ts',
  'src/table/column.ts',
  'src/table/csv-cell.ts',
  'src/table/shortened-texts.ts',
  'src/prof/neuron/machine.ts',
];

/** What a rule finds, for one clear message. */
const offences = (files: readonly SourceFile[], find: (file: SourceFile) => readonly string[]): string[] =>
  files.flatMap((file) => find(file).map((what) => `${file.path}: ${what}`));

/** Folders whose files call each other in circles because the grammar they read does: C++ names hold types hold names. */
const MUTUALLY_RECURSIVE = ['src/parse/names/demangle/'];

const isWithin = (circle: string, folder: string): boolean =>
  circle.split(' → ').every((path) => path.startsWith(folder));

const isAllowed = (circle: string): boolean => MUTUALLY_RECURSIVE.some((folder) => isWithin(circle, folder));

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

  it('of dparse load no op and no answer: a small profile would take longer to start than to read', () => {
    const loadedBy = new Map(SRC.map(({ path, loaded }) => [path, loaded]));
    const reached = new Map<string, string>();
    const visit = (path: string, by: string): void => {
      if (reached.has(path)) return;
      reached.set(path, by);
      for (const next of loadedBy.get(path) ?? []) visit(next, path);
    };
    for (const path of ['src/cli/bin/dparse.ts', 'src/cli/dparse/parse-command.ts', 'src/cli/dparse/one.ts']) visit(path, '');
    expect(reached.size).to.be.above(200);
    const answers = ['src/ops/table.ts', 'src/prof/annotate.ts', 'src/prof/columns/columns.ts'];
    expect(answers.filter((path) => reached.has(path)).map((path) => `${path} by ${reached.get(path) ?? ''}`)).to.deep.equal([]);
  }); // prettier-ignore

  it('make no circle, those of types included', () => {
    const importsOf = new Map(SRC.map(({ path, imported }) => [path, imported]));
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
    expect(circles.filter((circle) => !isAllowed(circle))).to.deep.equal([]);
  });

  it('of a database library are in one folder each', () => {
    const foldersOf = (library: string): string[] => [
      ...new Set(SRC.filter(({ foreign }) => foreign.includes(library)).map(({ path }) => dirname(path))),
    ];
    expect(foldersOf('better-sqlite3')).to.deep.equal(['src/parse/sqlite']);
    expect(foldersOf('@duckdb/node-api')).to.deep.equal(['src/prof/query/sql']);
  });

  it('of packages are declared as dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const known = new Set([...packages, ...builtinModules.map((name) => `node:${name}`)]);
    // What the page's program needs is bundled into it.
    const loaded = SRC.filter(({ path }) => roomOf(path) !== 'page');
    expect(offences(loaded, ({ foreign }) => foreign.filter((name) => !known.has(packageOf(name))))).to.deep.equal([]);
    const used = new Set(loaded.flatMap(({ foreign }) => foreign.map(packageOf)));
    expect(packages.filter((name) => !used.has(name))).to.deep.equal([]);
  });
});

/** Files outside src/cli that touch the process, and why they may. */
const TOUCHES_PROCESS: Readonly<Record<string, string>> = {
  'src/parse/input/cleanup.ts': 'removes temporary files when the process exits or is interrupted',
  'src/parse/source.ts': 'reads standard input for `-`',
};

describe('code', () => {
  it('touches the process in src/cli only', () => {
    const others = SRC.filter(({ path }) => roomOf(path) !== 'cli');
    const touching = others.filter((file) => /(?<![#\w.])process\./.test(file.code) || file.foreign.includes('node:process')); // prettier-ignore
    expect(touching.map(({ path }) => path)).to.deep.equal(Object.keys(TOUCHES_PROCESS));
  });

  it('writes to files by writeFully, which goes on where the system takes a part, and to standard output by output.ts', () => {
    const filesWith = (word: RegExp): string[] => SRC.filter((file) => word.test(file.code)).map(({ path }) => path);
    expect(filesWith(/\bwriteSync\b/)).to.deep.equal(['src/parse/files.ts']);
    expect(filesWith(/\bprocess\.stdout\b/)).to.deep.equal(['src/cli/bin/stdout.ts', 'src/cli/output.ts']);
  });

  it('writes to the console nowhere', () => {
    expect(offences(SRC, (file) => file.code.match(/\bconsole\./g) ?? [])).to.deep.equal([]);
  });

  it('evaluates nothing', () => {
    const evaluating = /(?<![.#])\beval\(|\bnew Function\b|(?<![.\w])Function\(/g;
    expect(offences(SRC, (file) => file.code.match(evaluating) ?? [])).to.deep.equal([]);
    expect(offences(SRC, ({ foreign }) => foreign.filter((name) => name === 'node:vm'))).to.deep.equal([]);
  });

  it('names no place on the machine where it was written', () => {
    const places = /(['"`])\/(?:home|root|work|tmp|Users|mnt|opt)\/[^'"`]*/g;
    expect(offences([...SRC, ...filesUnder('docs').map(read)], ({ text }) => text.match(places) ?? [])).to.deep.equal(
      [],
    );
  });

  it('of tests of pages makes folders that are removed also where none of the tests run', () => {
    const tests = ALL.filter(({ path }) => path.startsWith('test/page/'));
    expect(offences(tests, ({ text }) => text.match(/\bmkdtemp\w*/g) ?? [])).to.deep.equal([]);
  });

  it('leaves nothing for later', () => {
    const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`, 'g');
    expect(offences(ALL, ({ text }) => text.match(marks) ?? [])).to.deep.equal([]);
  });
});
