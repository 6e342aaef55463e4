// The WHATWG URL parser that every JavaScript runtime has, as far as `core` uses it (https://url.spec.whatwg.org).
declare class URL {
  constructor(url: string);
  readonly href: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly host: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  static canParse(url: string): boolean;
}
