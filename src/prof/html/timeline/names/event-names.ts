/** Names that events of a timeline have: by what is in no piece, tables of the page know which of their rows lead nowhere. */
import type { NamedField } from '../timeline-data.js';

/** Of layers the path of each event, with `/` between, and where it begins. */
export class EventNames {
  readonly #names: Readonly<Record<NamedField, ReadonlySet<string>>>;

  /** @param texts of the events of all pieces; ranges and kernels by their names in tables */
  constructor({ layer, range, ...texts }: Readonly<Record<NamedField, Iterable<string>>>) {
    const paths = new Set<string>();
    const layers = new Set<string>();
    for (const path of new Set(layer)) {
      const parts = path.split('/');
      parts.forEach((part, i) => {
        layers.add(part);
        paths.add(parts.slice(0, i + 1).join('/'));
      });
    }
    this.#names = {
      ...{ kernel: new Set(texts.kernel), op: new Set(texts.op) },
      ...{ layer: paths, range: new Set([...range, ...layers]) },
    };
  }

  /** Those of some names that no event has, each once. */
  lacking(wanted: Readonly<Record<NamedField, readonly string[]>>): Record<NamedField, readonly string[]> {
    const lacking = (field: NamedField): string[] => {
      const known = this.#names[field];
      return [...new Set(wanted[field])].filter((name) => name !== '' && !known.has(name));
    };
    return { kernel: lacking('kernel'), op: lacking('op'), layer: lacking('layer'), range: lacking('range') };
  }
}
