/** The same type with writable fields, for an object that is filled before it is returned. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
