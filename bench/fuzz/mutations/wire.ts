/** Damage to messages of protobuf: a field is lost, doubled or changed at any depth, and the lengths around it fit. */
import { fieldsOf, message, type WireField } from '../../neuron-wire.js';
import type { Random } from '../random.js';
import { damage } from './bytes.js';

/** How often a message inside a message is entered, where there is one. */
const DEEPER = 0.85;

export function damageMessage(bytes: Buffer, random: Random): Buffer {
  const fields = fieldsOf(bytes);
  if (fields === null || fields.length === 0) return damage(Buffer.from(bytes), random);
  const at = random.below(fields.length);
  const chosen = fields[at] as WireField;
  return message([...fields.slice(0, at), ...damagedField(chosen, random), ...fields.slice(at + 1)]);
}

function damagedField(field: WireField, random: Random): WireField[] {
  const { value } = field;
  const isMessage = Buffer.isBuffer(value) && value.length > 0 && fieldsOf(value) !== null;
  if (isMessage && random.chance(DEEPER)) return [{ ...field, value: damageMessage(value, random) }];
  if (random.chance(0.3)) return random.chance(0.5) ? [] : [field, field];
  if (Buffer.isBuffer(value)) return [{ ...field, value: damage(Buffer.from(value), random) }];
  const numbers = [0n, 1n, value + 1n, 1n << 31n, 1n << 53n, (1n << 63n) - 1n, (1n << 64n) - 1n] as const;
  return [{ ...field, value: random.of(numbers) }];
}
