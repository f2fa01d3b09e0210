import { strategy } from "proctor-bench";

strategy({ name: "first", level: "plan" }, (view) => ({ layout: { whole: [{ keep: view[0].id }] } })).serve();
