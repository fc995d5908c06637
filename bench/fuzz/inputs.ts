/** Which damaged input a run reads. */
import { basesOf, samplesOf } from './bases.js';
import type { Base, Damaged, Files, ReaderName } from './input.js';
import { doubled, SECTOR, zeroed } from './mutations/blocks.js';
import { chooseMutation } from './mutations/mutations.js';
import { Random, seedFor } from './random.js';

/** The inputs of a plan, by number. */
export interface Inputs {
  /** Runs of the plan; as many as one likes where it is infinite. */
  readonly count: number;
  readonly at: (run: number) => Damaged;
}

/** What a plan is made of; goes to the processes that read as text. */
export interface InputPlan {
  readonly readers: readonly ReaderName[];
  readonly seed: number;
  /** Whether each sector of the samples is damaged, in place of damage by chance. */
  readonly sectors: boolean;
  readonly withShared: boolean;
}

export const inputsOf = (plan: InputPlan): Inputs => (plan.sectors ? new SectorInputs(plan) : new RandomInputs(plan));

/** How often a mutation is asked for where it does not apply, or makes the file too large. */
const TRIES = 10;
const LARGEST = 4 * 1024 * 1024;

/** Damage by chance, the readers in turn: what a reader is given does not depend on the others. */
class RandomInputs implements Inputs {
  readonly count = Infinity;
  readonly #bases: readonly (readonly Base[])[];

  constructor(readonly plan: InputPlan) {
    this.#bases = plan.readers.map((reader) => basesOf(reader, plan.withShared));
  }

  at(run: number): Damaged {
    const { readers, seed } = this.plan;
    const turn = run % readers.length;
    const own = Math.floor(run / readers.length);
    const reader = readers[turn];
    const bases = this.#bases[turn] ?? [];
    if (reader === undefined) throw new Error('no reader');
    const random = new Random(seedFor(seed, reader), own);
    // Small ones more often: they are read in less time.
    const base = bases[random.few(random.few(bases.length)) - 1];
    if (base === undefined) throw new Error(`nothing to damage for ${reader}`);
    return {
      base,
      ...severalDamaged(base, random),
      random,
      repeat: `--only ${reader} --seed ${seed} --from ${own} --runs 1`,
    };
  }
}

type Damage = Pick<Damaged, 'files' | 'mutation' | 'kernels' | 'damaged' | 'unnoticed'>;

/** Files of an input damaged one after the other, mostly a single one. Of several nothing is known of what is left. */
function severalDamaged(base: Base, random: Random): Damage {
  const first = damaged(base, random);
  if (Object.keys(base.files).length < 2 || !random.chance(base.reader === 'folder' ? 0.7 : 0.2)) return first;
  let all: Damage = { ...first };
  for (let n = random.few(3); n > 0; n--) {
    const next = damaged({ ...base, files: all.files }, random);
    all = {
      files: next.files,
      mutation: `${all.mutation}, ${next.mutation}`,
      damaged: [...all.damaged, ...next.damaged],
      unnoticed: [...all.unnoticed, ...next.unnoticed],
    };
  }
  return all;
}

/** One file of the input damaged: mostly the one that is read. */
function damaged(base: Base, random: Random): Damage {
  const names = Object.keys(base.files);
  const [first = '', ...others] = names;
  for (let tries = 0; tries < TRIES; tries++) {
    const isMain = base.input !== '' && random.chance(base.options === undefined ? 0.85 : 0.4);
    const name = isMain ? base.input : random.of([first, ...others]);
    const of = { damaged: [name], unnoticed: [name] };
    if (names.length > 1 && random.chance(0.05)) {
      return { files: without(base.files, name), mutation: `no ${name}`, ...of };
    }
    const chosen = chooseMutation(name, random);
    const bytes = base.files[name];
    const mutated = bytes === undefined ? null : chosen.mutation(bytes, random);
    if (mutated === null || mutated.bytes.length > LARGEST) continue;
    const { kernels } = mutated;
    return {
      files: { ...base.files, [name]: mutated.bytes },
      mutation: chosen.name,
      ...of,
      ...(chosen.isNoticed ? { unnoticed: [] } : undefined),
      // A folder with a damaged copy of a file has two files.
      ...(base.reader !== 'folder' && kernels && { kernels }),
    };
  }
  return { files: base.files, mutation: 'none', kernels: { lost: 0, added: 0 }, damaged: [], unnoticed: [] };
}

const without = (files: Files, name: string): Files =>
  Object.fromEntries(Object.entries(files).filter(([each]) => each !== name));

const SECTOR_DAMAGE = { zeroed, doubled } as const;

/** Each sector of the first sample of each reader, one at a time: zero, then in the place of the next too. */
class SectorInputs implements Inputs {
  readonly count: number;
  readonly #bases: readonly { readonly base: Base; readonly bytes: Buffer; readonly sectors: number }[];

  constructor(readonly plan: InputPlan) {
    this.#bases = plan.readers.flatMap((reader) => {
      const [base] = samplesOf(reader);
      const bytes = base?.files[base.input];
      if (base === undefined || bytes === undefined) throw new Error(`no file with sectors for ${reader}`);
      return [{ base, bytes, sectors: Math.ceil(bytes.length / SECTOR) }];
    });
    this.count = this.#bases.reduce((sum, { sectors }) => sum + 2 * sectors, 0);
  }

  at(run: number): Damaged {
    let own = run;
    for (const { base, bytes, sectors } of this.#bases) {
      if (own < 2 * sectors) {
        const how = own < sectors ? 'zeroed' : 'doubled';
        const sector = own % sectors;
        return {
          base,
          files: { [base.input]: SECTOR_DAMAGE[how](bytes, sector * SECTOR) },
          mutation: `sector ${sector} ${how}`,
          damaged: [base.input],
          unnoticed: [base.input],
          random: new Random(this.plan.seed, run),
          repeat: `--sectors --only ${this.plan.readers.join()} --from ${run} --runs 1`,
        };
      }
      own -= 2 * sectors;
    }
    throw new Error(`no sector for run ${run}`);
  }
}
