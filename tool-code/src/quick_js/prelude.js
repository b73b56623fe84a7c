// Runs before the program, and makes the functions that the host uses. It takes what it needs from the global objects now, since
// the program may change them later.
(write, declared, code, maxArguments, maxOutput) => {
  const { parse, stringify } = JSON;
  const { apply, construct } = Reflect;
  const uncurry = method => (self, ...args) => apply(method, self, args);
  const ProxyOf = Proxy, PromiseOf = Promise, MapOf = Map, SetOf = Set, ErrorOf = Error;
  const [get, set, remove] = ["get", "set", "delete"].map(name => uncurry(MapOf.prototype[name]));
  const { isArray } = Array, prototypeOf = Object.getPrototypeOf, objects = Object.prototype;
  const text = String, define = Object.defineProperty, create = Object.create;
  const join = uncurry(Array.prototype.join), push = uncurry(Array.prototype.push), bind = uncurry(Function.prototype.bind);
  const [slice, wellFormed] = ["slice", "toWellFormed"].map(name => uncurry(String.prototype[name]));

  class ToolError extends Error {
    constructor(message, kind, call) {
      super(message);
      this.name = "ToolError";
      this.kind = kind;
      // Not enumerable: only the text of an error that is not caught has it.
      define(this, "call", { __proto__: null, value: call });
    }
  }

  // The calls that wait for their results, by number, and those that the host has not started.
  const waiting = new MapOf();
  let made = 0, calls = [], argumentsLeft = maxArguments;
  const call = (tool, value, shownTool = tool) => new PromiseOf((resolve, reject) => {
    const args = stringify(value === undefined ? {} : value) ?? "null";
    if ((argumentsLeft -= args.length) < 0) throw new RangeError("the arguments of all calls are too long");
    const shownArgs = args.length > 100 ? `${wellFormed(slice(args, 0, 100))}..` : args;
    set(waiting, made++, { resolve, reject, shownCall: `${shownTool}(${shownArgs})` });
    push(calls, { __proto__: null, tool, arguments: args });
  });

  // The only properties of the promise of a call. A program that reads another one has forgotten `await`.
  const methods = { __proto__: null, then: 1, catch: 1, finally: 1, constructor: 1, [Symbol.toStringTag]: 1 };
  const notAwaited = name => new TypeError(
    `the call of ${name} is a promise: write await ${name}(..) to use its result, and await before each other call, too`);
  const awaited = (promise, name) => new ProxyOf(promise, {
    get(target, key) {
      if (key in methods) {
        const value = target[key];
        return typeof value === "function" && key !== "constructor" ? bind(value, target) : value;
      }
      throw notAwaited(name);
    },
    // A spread reads the keys: `{...tools.name()}`.
    ownKeys() { throw notAwaited(name) },
  });

  // Arguments without names, in the order of the parameters.
  const named = (values, parameters) => {
    const [first] = values;
    const isNamed = typeof first === "object" && first !== null && !isArray(first);
    if (values.length > parameters.length || values.length < 2 && (isNamed || first === undefined)) return first;
    const args = {};
    for (let i = 0; i < values.length; i++) args[parameters[i]] = values[i];
    return args;
  };

  const own = create(null), names = [];
  for (const { name, parameters } of parse(declared)) {
    const shownName = /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${stringify(name)}]`;
    push(names, shownName);
    own[name] = (...values) => awaited(call(name, named(values, parameters)), shownName);
  }
  const tools = new ProxyOf(own, {
    get(target, key) {
      if (typeof key === "symbol" || key in target) return target[key];
      // `await tools`, and the conversion to text or JSON.
      if (key === "then" || key === "toJSON") return undefined;
      throw new ReferenceError(`there is no tool ${stringify(key)}. The tools are ${join(names, ", ")}`);
    },
    set() { throw new TypeError("tools cannot be changed") },
    defineProperty() { throw new TypeError("tools cannot be changed") },
    deleteProperty() { throw new TypeError("tools cannot be changed") },
  });
  const fixed = (name, value) => define(globalThis, name, { value, writable: false, configurable: false });
  fixed("tools", tools);
  fixed("findTools", query => awaited(call("find tools", { query }, "findTools"), "findTools"));
  fixed("ToolError", ToolError);

  const shown = value => {
    if (typeof value === "string") return value;
    if (value instanceof ErrorOf) return `${value.name}: ${value.message}`;
    try { return stringify(value, readable) ?? text(value) } catch { return text(value) }
  };
  const print = (...values) => {
    let line = "";
    for (let i = 0; i < values.length; i++) line += (i ? " " : "") + shown(values[i]);
    write(wellFormed(line));
  };
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print, table: print, dir: print };

  // A second run of the program, which may be in another process, would see another time, time zone and other numbers. So local
  // times are those of UTC.
  const DateOf = Date;
  const { parse: parseDate, UTC } = DateOf;
  const { isNaN, isFinite } = Number;
  const parseUtc = value => {
    const utc = parseDate(`${value}Z`);
    return isNaN(utc) ? parseDate(value) : utc;
  };
  const noClock = () => { throw new Error("there is no clock here: take the time from a tool or from the user") };
  function DateWithoutClock(...values) {
    if (!new.target || !values.length) noClock();
    const [first] = values;
    const time = values.length > 1 ? UTC(...values) : typeof first === "string" ? parseUtc(first) : first;
    return construct(DateOf, [time], new.target);
  }
  define(DateWithoutClock, "prototype", { value: DateOf.prototype });
  DateWithoutClock.parse = parseUtc;
  DateWithoutClock.UTC = UTC;
  DateWithoutClock.now = noClock;
  const dates = DateOf.prototype;
  define(dates, "constructor", { value: DateWithoutClock });
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"]) {
    dates[`get${part}`] = dates[`getUTC${part}`];
    if (part !== "Day") dates[`set${part}`] = dates[`setUTC${part}`];
  }
  dates.getTimezoneOffset = () => 0;
  const { toISOString, toUTCString } = dates;
  for (const form of ["toString", "toLocaleString"]) dates[form] = toUTCString;
  for (const form of ["toDateString", "toLocaleDateString"]) dates[form] = function () { return slice(apply(toISOString, this, []), 0, 10) };
  for (const form of ["toTimeString", "toLocaleTimeString"]) dates[form] = function () { return slice(apply(toISOString, this, []), 11, 19) };
  delete dates.getYear;
  delete dates.setYear;
  globalThis.Date = DateWithoutClock;
  Math.random = () => { throw new Error("there is no randomness here: a program must do the same each time it runs") };

  // The engine looks at the time between the steps of a program, and not within such a method: an object with a length of 2^53 would
  // keep it busy for years.
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    const method = Array.prototype[name];
    if (typeof method !== "function" || name === "constructor") continue;
    const limited = { [name](...args) {
      if (this?.length > 10_000_000) throw new RangeError("an array may have at most 10000000 elements here");
      return apply(method, this, args);
    } }[name];
    define(Array.prototype, name, { value: limited, writable: true, configurable: true, enumerable: false });
  }
  define(Array.prototype, Symbol.iterator, { value: Array.prototype.values, writable: true, configurable: true });

  // Values that JSON leaves out.
  const readable = (key, value) => {
    if (value instanceof MapOf) return [...value];
    if (value instanceof SetOf) return [...value];
    if (value instanceof ErrorOf) return { name: value.name, message: value.message, ...value };
    return typeof value === "bigint" || typeof value === "number" && !isFinite(value) ? text(value) : value;
  };

  // A program is the body of an async function, or one expression: many models write a function and call it. `tools` is a parameter,
  // so that a program cannot declare tools of its own by mistake.
  const Body = (async () => {}).constructor;
  const compiled = () => {
    try { return new Body("tools", `return (${code}\n)`) } catch { return new Body("tools", code) }
  };
  // Many programs return promises in a list or an object.
  const settled = async (value, depth) => {
    const found = await value;
    if (depth === 0 || typeof found !== "object" || found === null) return found;
    const mayBeList = isArray(found) && found.length <= 1000;
    if (!mayBeList && prototypeOf(found) !== objects) return found;
    for (const key in found) {
      const part = found[key];
      const mayHavePromises = depth > 1 && typeof part === "object";
      if (part instanceof PromiseOf || mayHavePromises) found[key] = await settled(part, depth - 1);
    }
    return found;
  };
  const run = async () => {
    try {
      const value = await compiled()(tools);
      return await settled(typeof value === "function" ? await value() : value, 2);
    } catch (error) {
      // The engine throws null if it has no memory for an error.
      throw error === null || error instanceof ErrorOf ? error : shown(error);
    }
  };

  return {
    run,
    takeCalls() {
      const taken = calls;
      calls = [];
      // The program may have added a method of this name to all arrays.
      define(taken, "toJSON", { __proto__: null, value: undefined });
      return stringify(taken);
    },
    answer(number, kind, value, errorKind) {
      const { resolve, reject, shownCall } = get(waiting, number);
      remove(waiting, number);
      if (kind === "failed") reject(new ToolError(value, errorKind, shownCall));
      else resolve(kind === "json" ? parse(value) : value);
      return shownCall;
    },
    // The beginning of a long value is enough, since the model reads no more.
    finish(value) {
      if (isNaN(value)) value = "NaN: a value is missing in the computation. Check the names of the properties.";
      const json = typeof value === "string" ? value : stringify(value, readable);
      if (json === undefined) return undefined;
      const isLong = json.length > maxOutput;
      return isLong || typeof value === "string" ? stringify(wellFormed(slice(json, 0, maxOutput + 1))) : json;
    },
  };
}
