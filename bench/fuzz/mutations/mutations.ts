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
import { damageMessage } from './wire.js';
import { SQL_MUTATIONS } from './sql.js';

type Mutations = Readonly<Record<string, Mutation>>;

const BYTES: Mutations = { bytes: (bytes, random) => ({ bytes: damage(Buffer.from(bytes), random) }) };
const NTFF: Mutations = { fields: (bytes, random) => ({ bytes: damageNtff(Buffer.from(bytes), random) }) };
const NEFF: Mutations = { archive: (bytes, random) => ({ bytes: damageNeff(Buffer.from(bytes), random) }) };

const WIRE: Mutations = { messages: (bytes, random) => ({ bytes: damageMessage(bytes, random) }) };

/** Bytes of a Parquet file: its schema, groups and columns, whose length stands at its end, or anywhere. */
const PARQUET: Mutations = {
  bytes: (bytes, random) => ({ bytes: damage(Buffer.from(bytes), random) }),
  footer: (bytes, random) => {
    const [to, length] = [bytes.length - 8, bytes.length < 12 ? 0 : bytes.readUInt32LE(bytes.length - 8)];
    return length > to ? null : { bytes: damage(Buffer.from(bytes), random, { from: to - length, to }) };
  },
};

/** The damage that knows the format first, mostly; then what any file may suffer. */
interface Kind {
  readonly own: readonly Mutations[];
  readonly any: readonly Mutations[];
  /** What of the latter a reader notices, or it loses no kernel: a file has checksums, or says where it ends. */
  readonly notices?: 'all' | 'cuts';
}
const ANY = [BYTES, BLOCK_MUTATIONS];

/** By the ending of a file's name; others are lines of JSON or of Python. */
const KINDS: readonly (readonly [ending: RegExp, kind: Kind])[] = [
  [/\.(?:sqlite|sql|db)$/, { own: [SQL_MUTATIONS], any: ANY, notices: 'cuts' }],
  [/\.parquet$/, { own: [PARQUET], any: ANY }],
  [/\.ntff$/, { own: [NTFF], any: ANY, notices: 'cuts' }],
  [/\.neff$/, { own: [NEFF], any: ANY }],
  [/\.pb$/, { own: [BYTES, WIRE], any: ANY }],
  [/\.(?:zip|tar)$/, { own: [BYTES], any: ANY }],
  [/\.csv$/, { own: [CSV_MUTATIONS], any: [...ANY, LINE_MUTATIONS] }],
  [/\.json$/, { own: [JSON_MUTATIONS], any: ANY, notices: 'cuts' }],
  [/./, { own: [JSON_MUTATIONS, LINE_MUTATIONS], any: ANY }],
];

/** Of a compressed file: what goes with the file inside, before it is packed again. */
function kindOf(file: string): Kind {
  if (!file.endsWith('.gz')) return KINDS.find(([ending]) => ending.test(file))?.[1] ?? { own: ANY, any: ANY };
  const { own } = kindOf(file.slice(0, -'.gz'.length));
  return { own: [...own.map(insideGzip), GZIP_MUTATIONS], any: ANY, notices: 'all' };
}

/** How much of the damage knows the format. */
const OWN_SHARE = 0.75;

export interface ChosenMutation {
  readonly name: string;
  readonly mutation: Mutation;
  /** Whether no kernel may be lost by it without a word. */
  readonly isNoticed: boolean;
}

/** A mutation that goes with a file of this name, and what it is called. */
export function chooseMutation(file: string, random: Random): ChosenMutation {
  const { own, any, notices } = kindOf(file);
  const isOwn = random.chance(OWN_SHARE);
  const [first, ...others] = Object.entries(Object.assign({}, ...(isOwn ? own : any)) as Mutations);
  if (first === undefined) throw new Error('no damage');
  const [name, mutation] = random.of([first, ...others]);
  const isCut = name.startsWith('cut');
  return { name, mutation, isNoticed: !isOwn && (notices === 'all' || (notices === 'cuts' && isCut)) };
}
