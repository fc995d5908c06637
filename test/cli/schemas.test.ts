/** Documents of `-f json` against docs/schemas, with and without a limit of characters. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AGGREGATES, HOST_AGGREGATES } from '../../src/prof/by/aggregates.js';
import { MOST_CHARS } from '../../src/cli/answer-document.js';
import { ESSENTIAL, IMPORTANCE, SUBJECTS } from '../../src/cli/answer-importance.js';
import type { DocumentHead } from '../../src/write/json-document.js';
import { shortened, type WholeDocument } from '../../src/write/shortened-document.js';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { runCli } from '../support/run-cli.js';
import { itLong } from '../support/sets.js';
import { itSharedLong, ROOT } from '../support/shared.js';

/** Arguments of dprof; IN stands for the input. */
const COMMANDS: readonly string[] = [
  '-c ALL IN',
  '--explain 1 IN',
  '--by op,layer,dir IN',
  '--by layer IN',
  '--by kernel,device -c ALL IN',
  '--by range IN',
  '--by hostop IN',
  '--by api IN',
  'summary IN',
  'summary --from 0.1 --to 0.3 IN',
  'summary --vendor-metrics IN',
  'summary --check IN',
  'steps IN',
  'steps --by range IN',
  'critical-path IN',
  'critical-path --what-if communication:0.5 IN',
  'ranks IN',
  'sequences IN',
  'overlap IN',
  'overlap --measured IN',
  'queues IN',
  'queues --points 5 IN',
  'stacks IN',
  'stacks --host IN',
  'memory IN',
  'diff IN IN',
  'diff --by tree IN IN',
  'diff --fail-if total>1% --from 0.1 IN IN',
  'check IN',
  'advise --all IN',
  'monitor --rows all IN',
  'monitor --stats IN',
  'terms',
];

const KERNEL_COLUMNS = COLUMNS.map(({ key }) => key).join();
const GROUP_COLUMNS = AGGREGATES.flatMap((column) => (HOST_AGGREGATES.includes(column) ? [] : [column.key])).join();

const FOLDER = join(ROOT, 'docs/schemas');
/** A GPU's and a Neuron device's; long runs take the other samples. */
const FEW = ['lenet.pt.trace.json.gz', 'attention.ntff'];
const SAMPLES = readdirSync(join(ROOT, 'samples')).filter((name) => !['README.md', 'programs'].includes(name));

type Json = Readonly<Record<string, unknown>>;

/** A shortened document lacks keys. */
function withoutRequired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key === 'required' && Array.isArray(child) ? [] : [[key, withoutRequired(child)]],
    ),
  );
}

class Schemas {
  readonly #ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  readonly #loose = new Ajv2020({ strict: false });
  readonly #made = new Map<string, readonly [whole: ValidateFunction, short: ValidateFunction]>();

  of(id: string): readonly [whole: ValidateFunction, short: ValidateFunction] {
    const name = id.split('/')[1] ?? '';
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const schema = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Json;
    const made = [this.#ajv.compile(schema), this.#loose.compile(withoutRequired(schema) as Json)] as const;
    this.#made.set(name, made);
    return made;
  }
}

const schemas = new Schemas();
const LIMIT = 4000;

/** What is wrong with a document. @param isShort whether it was shortened */
function faultsIn(text: string, isShort: boolean): string[] {
  const document = JSON.parse(text) as Json;
  const [whole, short] = schemas.of(String(document['schema']));
  const validate = isShort ? short : whole;
  const cannot = document['cannot'] as readonly Readonly<Record<'what' | 'why', string>>[];
  return [
    ...(validate(document) ? [] : [JSON.stringify(validate.errors?.slice(0, 3))]),
    ...cannot.flatMap(({ what, why }) => (what === '' || why === '' || what === why ? [`cannot ${what}: ${why}`] : [])),
    ...(isShort && text.length > LIMIT ? [`${text.length} characters`] : []),
  ];
}

/** The document as `--max-chars` shortens it, without running the command again. */
function shortenedText(text: string): string {
  const { schema, tool, command, answer, ...rest } = JSON.parse(text) as WholeDocument & DocumentHead;
  const head = { schema, tool, command };
  const whole = { ...rest, head, answer, rows: answer.length, characters: text.length, inputsLeftOut: 0 };
  const name = schema.split('/')[1] ?? '';
  const limits = { most: LIMIT, largest: MOST_CHARS };
  return text.length <= LIMIT ? text : shortened(whole, limits, IMPORTANCE[name] ?? [], ESSENTIAL[name]).text;
}

/**
 * What is wrong with the documents of a command, and how many there are.
 * @param isOnce whether the command runs only once, because that takes long, and its document is shortened here
 */
async function faultsOf(
  command: string,
  input: string,
  isOnce: boolean,
): Promise<{ readonly faults: string[]; readonly count: number }> {
  const columns = command.includes('--by') ? GROUP_COLUMNS : KERNEL_COLUMNS;
  const words = command.split(' ').map((word) => (word === 'IN' ? input : word === 'ALL' ? columns : word));
  const run = (...limit: string[]) => runCli('dprof', [...words, '-q', '-f', 'json', ...limit]);
  const { stdout, stderr } = await run();
  // Wrong usage, such as a table of a file that is no profile.
  if (stdout === '') return { faults: stderr.includes('(') ? [] : [`${command}: ${stderr}`], count: 0 };
  const short = isOnce ? shortenedText(stdout) : (await run('--max-chars', String(LIMIT))).stdout;
  const faults = [...faultsIn(stdout, false), ...faultsIn(short, true)].map((fault) => `${command}: ${fault}`);
  return { faults, count: 2 };
}

describe('schemas of -f json', () => {
  async function documentsOf(path: string, isOnce = false): Promise<{ faults: string[]; documents: number }> {
    const faults: string[] = [];
    let documents = 0;
    for (const command of COMMANDS) {
      const found = await faultsOf(command, path, isOnce);
      faults.push(...found.faults.map((fault) => `${basename(path)}: ${fault}`));
      documents += found.count;
    }
    if (process.env['SCHEMA_COUNTS'] !== undefined)
      process.stderr.write([`${basename(path)}: ${documents} documents`, ...faults, ''].join('\n'));
    return { faults, documents };
  }
  const every = (name: string) => async (): Promise<void> => {
    const { faults, documents } = await documentsOf(join(ROOT, 'samples', name));
    expect(faults).to.deep.equal([]);
    expect(documents).to.be.above(COMMANDS.length);
  };
  for (const name of FEW) it(`hold for every command: ${name}`, every(name));
  for (const name of SAMPLES.filter((sample) => !FEW.includes(sample)))
    itLong(`hold for every command: ${name}`, every(name));
  itSharedLong('hold for every command and every real file', ['data'], async function ([folder = '']) {
    this.timeout(0);
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
    const sizes = entries.map(({ parentPath, name }) => [join(parentPath, name), statSync(join(parentPath, name)).size] as const); // prettier-ignore
    const faults: string[] = [];
    let documents = 0;
    // The smallest first, so that most files are read when a run is ended.
    for (const [path] of sizes.sort(([, a], [, b]) => a - b)) {
      const found = await documentsOf(path, true);
      faults.push(...found.faults);
      documents += found.documents;
    }
    expect(faults).to.deep.equal([]);
    expect(documents).to.be.above(entries.length);
  });

  it('have a name for what each answer is about', () => {
    const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
    expect(Object.keys(SUBJECTS)).to.have.members(names);
  });

  it('are one for each answer, and refuse keys that they do not name', () => {
    const files = readdirSync(FOLDER);
    expect(files).to.have.length.above(20);
    for (const file of files) {
      const name = file.replace('.json', '');
      const envelope = { schema: `dprof/${name}/1`, tool: 'dprof', command: [], inputs: [], answer: [], window: null };
      const rest = { doubts: [], cannot: [], leftOut: null };
      const [whole] = schemas.of(`dprof/${name}/1`);
      expect(whole({ ...envelope, ...rest }), name).to.equal(true);
      expect(whole({ ...envelope, ...rest, more: 1 }), name).to.equal(false);
      if (name !== 'sql') expect(whole({ ...envelope, ...rest, answer: [{ no_such_key: 1 }] }), name).to.equal(false);
    }
  });
});
