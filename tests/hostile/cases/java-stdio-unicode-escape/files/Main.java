public class Main { /* \u002a\u002f broken( */ }
