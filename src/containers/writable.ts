/** The same type with fields that can be assigned: an object that is filled before it is handed out. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
