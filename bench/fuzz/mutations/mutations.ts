/** Which damage goes with which kind of file. */
import type { Mutation } from '../input.js';
import type { Random } from '../random.js';
import { BLOCK_MUTATIONS } from './blocks.js';
import { damage } from './bytes.js';
import { CSV_MUTATIONS } from './csv.js';
import { GZIP_MUTATIONS, insideGzip } from './gzip.js';
import { JSON_MUTATIONS } from './json.js';
import { LINE_MUTATIONS } from './lines.js';
import { damageNeff } from './neff.js';
import { damageNtff } from './ntff.js';
import { SQL_MUTATIONS } from './sql.js';

type Mutations = Readonly<Record<string, Mutation>>;

const BYTES: Mutations = { bytes: (bytes, random) => ({ bytes: damage(Buffer.from(bytes), random) }) };
const NTFF: Mutations = { fields: (bytes, random) => ({ bytes: damageNtff(Buffer.from(bytes), random) }) };
const NEFF: Mutations = { archive: (bytes, random) => ({ bytes: damageNeff(Buffer.from(bytes), random) }) };

/** The damage that knows the format first, mostly; then what any file may suffer. */
interface Kind {
  readonly own: readonly Mutations[];
  readonly any: readonly Mutations[];
}
const ANY = [BYTES, BLOCK_MUTATIONS];

/** By the ending of a file's name; others are lines of JSON or of Python. */
const KINDS: readonly (readonly [ending: RegExp, kind: Kind])[] = [
  [/\.(?:sqlite|sql|db)$/, { own: [SQL_MUTATIONS], any: ANY }],
  [/\.parquet$/, { own: [BYTES], any: ANY }],
  [/\.ntff$/, { own: [NTFF], any: ANY }],
  [/\.neff$/, { own: [NEFF], any: ANY }],
  [/\.gz$/, { own: [insideGzip(JSON_MUTATIONS), GZIP_MUTATIONS], any: ANY }],
  [/\.csv$/, { own: [CSV_MUTATIONS], any: [...ANY, LINE_MUTATIONS] }],
  [/\.json$/, { own: [JSON_MUTATIONS], any: ANY }],
  [/./, { own: [JSON_MUTATIONS, LINE_MUTATIONS], any: ANY }],
];

/** How much of the damage knows the format. */
const OWN_SHARE = 0.75;

/** A mutation that goes with a file of this name, and what it is called. */
export function chooseMutation(file: string, random: Random): readonly [name: string, mutation: Mutation] {
  const kind = KINDS.find(([ending]) => ending.test(file))?.[1];
  if (kind === undefined) throw new Error(`no damage for ${file}`);
  const all = Object.entries(Object.assign({}, ...(random.chance(OWN_SHARE) ? kind.own : kind.any)) as Mutations);
  const [first, ...others] = all;
  if (first === undefined) throw new Error('no damage');
  return random.of([first, ...others]);
}
