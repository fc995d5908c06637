/** Fields that two records of the same thing both have, which must be equal. */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that both have, one by one, of two values that should be the same. */
export function common(one: unknown, other: unknown): [unknown, unknown] {
  if (!isFields(one) || !isFields(other)) return [one, other];
  const both = Object.keys(one).filter((key) => key in other && one[key] !== null && other[key] !== null);
  const pairs = both.map((key) => [key, common(one[key], other[key])] as const);
  return [
    Object.fromEntries(pairs.map(([key, [value]]) => [key, value])),
    Object.fromEntries(pairs.map(([key, [, value]]) => [key, value])),
  ];
}
